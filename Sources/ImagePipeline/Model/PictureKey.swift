/// Names a decoded picture in memory: 128 bits from what makes it that picture.
///
/// The bits come from two keyed hashes with the process's own seed, so that nobody outside can make two pictures
/// share a name; the key means nothing in another process.
public struct PictureKey: Sendable, Hashable {
  /// The halves; either is evenly spread.
  public let high: UInt64, low: UInt64

  /// Names what `feed` puts in; it is called twice and must put in the same both times.
  public init(_ feed: (inout Hasher) -> Void) {
    var first = Hasher()
    var second = Hasher()
    first.combine(UInt8(1))
    second.combine(UInt8(2))
    feed(&first)
    feed(&second)
    high = UInt64(bitPattern: Int64(first.finalize()))
    low = UInt64(bitPattern: Int64(second.finalize()))
  }

  /// Feeds one half: it is spread already.
  public func hash(into hasher: inout Hasher) { hasher.combine(low) }
}
