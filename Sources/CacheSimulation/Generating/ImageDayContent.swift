import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The stories and images of many days of a daily feed.
struct ImageDayContent {
  /// The use of an image, which determines its size and variants.
  enum Kind: Int {
    case thumbnail, hero, body, avatar

    /// The median of its size in bytes, the deviation of the logarithm, and the relative size of its
    /// second variant; a device always requests the same one.
    var bytes: (median: Double, deviation: Double, secondVariant: Double) {
      switch self {
      case .thumbnail: (8_000, 0.60, 1.9)
      case .hero: (90_000, 0.50, 1.8)
      case .body: (45_000, 0.90, 0.65)
      case .avatar: (3_000, 0.40, 1)
      }
    }
  }

  struct Image {
    let kind: Kind
    let byteCount: Int
  }

  struct Story {
    let thumbnail: Int
    let hero: Int
    let body: [Int]
    let avatar: Int
    /// How interesting it is, at most 1.
    var interest = 0.0
  }

  private(set) var images: [Image] = []
  private(set) var days: [[Int]] = []
  private(set) var stories: [Story] = []

  private static let authorCount = 400

  init(dayCount: Int, seed: UInt64) {
    var random = SplitMix64(seed: seed &* 7_919 &+ 1)
    for _ in 0..<Self.authorCount { _ = image(.avatar, &random) }
    var sums: [Double] = []
    for rank in 1...Self.authorCount { sums.append((sums.last ?? 0) + 1 / Double(rank)) }
    for _ in 0..<dayCount {
      let count = random.integer(in: 6...10)
      var order = Array(0..<count)
      random.shuffle(&order)
      let first = stories.count
      for rank in 0..<count {
        let thumbnail = image(.thumbnail, &random)
        let hero = image(.hero, &random)
        var body: [Int] = []
        // Geometric, with a mean of four.
        while body.count < 40, random.happens(0.8) { body.append(image(.body, &random)) }
        stories.append(
          Story(
            thumbnail: thumbnail, hero: hero, body: body, avatar: random.index(inSums: sums),
            interest: pow(Double(order[rank] + 1), -0.8)))
      }
      days.append(Array(first..<stories.count))
    }
  }

  private mutating func image(_ kind: Kind, _ random: inout SplitMix64) -> Int {
    let (median, deviation, _) = kind.bytes
    images.append(
      Image(kind: kind, byteCount: max(300, Int(median * exp(deviation * random.normal())))))
    return images.count - 1
  }

  /// Returns the five top stories of a day: its three most interesting and two of the day before.
  func topStories(of day: Int) -> [Int] {
    func best(_ count: Int, of day: Int) -> ArraySlice<Int> {
      days[day].sorted { stories[$0].interest > stories[$1].interest }.prefix(count)
    }
    return Array(best(3, of: day)) + (day > 0 ? Array(best(2, of: day - 1)) : [])
  }

  /// The bytes for a device with this variant.
  func byteCount(of image: Int, variant: Int) -> Int {
    let factor = variant == 0 ? 1 : images[image].kind.bytes.secondVariant
    return max(300, Int(Double(images[image].byteCount) * factor))
  }
}
