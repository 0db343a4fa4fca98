/// Loading the day before when the end of the list is pulled into view; one at a time.
public struct LoadBefore: Sendable, Hashable {
  /// Whether a day is on its way; the spinner shows just then.
  public private(set) var isLoading = false
  /// Whether there is no older day.
  public private(set) var isAtEnd = false

  /// Creates a list with older days before it.
  public init() {}

  /// Whether the list stands beyond its end: `offset + height > contentHeight`.
  public static func isBeyondEnd(offset: Double, height: Double, contentHeight: Double) -> Bool {
    offset + height > contentHeight
  }

  /// The list came to rest or moved; returns whether to ask for the day before now.
  public mutating func scrolled(offset: Double, height: Double, contentHeight: Double) -> Bool {
    guard !isLoading, !isAtEnd,
      Self.isBeyondEnd(offset: offset, height: height, contentHeight: contentHeight)
    else { return false }
    isLoading = true
    return true
  }

  /// The day came, or could not be had; after a failure it may be asked for again.
  ///
  /// - Parameter isLast: Whether there is no day before that one.
  public mutating func finished(isLast: Bool) {
    isLoading = false
    isAtEnd = isLast
  }

  /// How many stories of a day are added at once.
  ///
  /// - Parameter pageSize: The maximum number; `nil` for all of them.
  public static func stories(of count: Int, pageSize: Int? = nil) -> Int {
    max(0, min(count, pageSize ?? count))
  }
}
