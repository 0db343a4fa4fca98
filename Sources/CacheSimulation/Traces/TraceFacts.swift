/// The statistics of a trace, independent of any cache.
public struct TraceFacts: Sendable, Hashable {
  /// The number of requests.
  public let requestCount: Int
  /// The number of distinct keys, which is also the number of misses that no cache avoids.
  public let objectCount: Int
  /// The bytes of all requests.
  public let requestedByteCount: Int
  /// The bytes of all objects, each with the size of its first request.
  public let footprint: Int
  /// The number of objects that were requested once.
  public let oneHitCount: Int
  /// The sizes of objects at least as large as ``percents`` of them; none without requests.
  private let percentileSizes: [Int]
  /// Whether requests differ in size.
  public let hasSizes: Bool

  private static let percents = [0, 10, 25, 50, 75, 90, 99, 100]
  /// The size of an object at least as large as 0, 10, 25, 50, 75, 90, 99 and 100 % of them.
  public var sizePercentiles: [(percent: Int, byteCount: Int)] {
    zip(Self.percents, percentileSizes).map { (percent: $0, byteCount: $1) }
  }

  /// The share of requests that are the first for their object, 0 through 1.
  public var compulsoryMissRatio: Double { Self.ratio(objectCount, requestCount) }
  /// The share of objects that were requested once, 0 through 1.
  public var oneHitShare: Double { Self.ratio(oneHitCount, objectCount) }

  init(keys: [UInt32], sizes: [Int]) {
    var firstSizes: [Int] = []
    var counts: [UInt32] = []
    var requested = 0
    for (key, size) in zip(keys, sizes) {
      if Int(key) == counts.count {
        counts.append(0)
        firstSizes.append(size)
      }
      if counts[Int(key)] < .max { counts[Int(key)] += 1 }
      requested &+= size
    }
    requestCount = keys.count
    objectCount = counts.count
    requestedByteCount = requested
    footprint = firstSizes.reduce(0, &+)
    oneHitCount = counts.count { $0 == 1 }
    firstSizes.sort()
    let last = firstSizes.count - 1
    percentileSizes = last < 0 ? [] : Self.percents.map { firstSizes[(last * $0 + 50) / 100] }
    hasSizes = sizes.contains { $0 != sizes[0] }
  }

  static func ratio(_ part: Int, _ whole: Int) -> Double {
    whole == 0 ? 0 : Double(part) / Double(whole)
  }
}
