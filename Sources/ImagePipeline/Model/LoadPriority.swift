/// How soon a picture is wanted. A load runs at the highest priority among those who wait for it.
public enum LoadPriority: Int, Sendable, Comparable, CaseIterable {
  /// Nobody is looking: prefetching, warming.
  case prefetch
  /// Soon to be seen.
  case low
  /// The default.
  case normal
  /// On the screen now.
  case high

  /// Orders by urgency: `prefetch` is the least.
  public static func < (one: LoadPriority, other: LoadPriority) -> Bool {
    one.rawValue < other.rawValue
  }
}
