import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// The same budget in a list, the newest first.
private struct NaiveBudget {
  var limit: Int
  var kept: [(key: FrameBudget.Key, pixels: PixelBuffer)] = []

  var byteCount: Int { kept.reduce(0) { $0 + $1.pixels.bytes.count } }

  mutating func keep(_ pixels: PixelBuffer, for key: FrameBudget.Key) {
    guard pixels.bytes.count <= limit else { return }
    kept.removeAll { $0.key == key }
    kept.insert((key, pixels), at: 0)
    evict()
  }

  mutating func pixels(for key: FrameBudget.Key) -> PixelBuffer? {
    guard let index = kept.firstIndex(where: { $0.key == key }) else { return nil }
    kept.insert(kept.remove(at: index), at: 0)
    return kept[0].pixels
  }

  mutating func evict() {
    while byteCount > limit { kept.removeLast() }
  }
}

@Suite struct `A frame budget` {
  private static func key(
    _ index: Int, _ content: String = "a", isCheckpoint: Bool = false
  ) -> FrameBudget.Key {
    FrameBudget.Key(content: content, index: index, isCheckpoint: isCheckpoint)
  }

  /// A frame of `count` pixels.
  private static func frame(_ count: Int, shade: UInt8 = 1) -> PixelBuffer {
    SampleImages.flat(count, 1, [shade, shade, shade, 255])
  }

  @Test(arguments: 0..<6)
  func `keeps what a list with the newest first would`(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    let budget = FrameBudget(maximumByteCount: 160)
    var model = NaiveBudget(limit: 160)
    for step in 0..<400 {
      let key = Self.key(number(5), ["a", "b"][number(2)], isCheckpoint: number(3) == 0)
      switch number(8) {
      case 0:
        let limit = number(240)
        budget.setMaximumByteCount(limit)
        model.limit = limit
        model.evict()
      case 1...4:
        let pixels = Self.frame(number(14), shade: UInt8(step % 256))
        budget.keep(pixels, for: key)
        model.keep(pixels, for: key)
      case 5: #expect(budget.contains(key) == model.kept.contains { $0.key == key })
      default: #expect(budget.pixels(for: key) == model.pixels(for: key), "seed \(seed), \(step)")
      }
      #expect(budget.byteCount == model.byteCount, "seed \(seed), step \(step)")
      #expect(budget.count == model.kept.count, "seed \(seed), step \(step)")
    }
  }

  @Test func `releases what was used longest ago, and asking is a use`() {
    let budget = FrameBudget(maximumByteCount: 3 * 40)
    for index in 0..<3 { budget.keep(Self.frame(10), for: Self.key(index)) }
    _ = budget.pixels(for: Self.key(0))

    budget.keep(Self.frame(10), for: Self.key(3))

    #expect((0..<4).filter { budget.contains(Self.key($0)) } == [0, 2, 3])
  }

  @Test func `is not changed by a look whether a frame is there`() {
    let budget = FrameBudget(maximumByteCount: 2 * 40)
    for index in 0..<2 { budget.keep(Self.frame(10), for: Self.key(index)) }

    #expect(budget.contains(Self.key(0)))
    budget.keep(Self.frame(10), for: Self.key(2))

    #expect(!budget.contains(Self.key(0)) && budget.contains(Self.key(1)))
  }

  @Test func `does not release anything for a frame above the whole limit`() {
    let budget = FrameBudget(maximumByteCount: 80)
    budget.keep(Self.frame(20), for: Self.key(0))

    budget.keep(Self.frame(21), for: Self.key(1))

    #expect(budget.byteCount == 80 && budget.contains(Self.key(0)))
    #expect(!budget.contains(Self.key(1)))
  }

  @Test func `tells a frame from a canvas to go on from, and contents apart`() {
    let budget = FrameBudget()
    let keys = [Self.key(1), Self.key(1, isCheckpoint: true), Self.key(1, "b")]
    for (shade, key) in keys.enumerated() {
      budget.keep(Self.frame(4, shade: UInt8(shade)), for: key)
    }

    #expect(keys.map { budget.pixels(for: $0)?.bytes[0] } == [0, 1, 2])
  }

  @Test func `counts a frame that is kept again once, with its new size`() {
    let budget = FrameBudget(maximumByteCount: 400)
    budget.keep(Self.frame(50), for: Self.key(0))
    budget.keep(Self.frame(20), for: Self.key(0))

    #expect(budget.count == 1 && budget.byteCount == 80)
  }

  @Test(arguments: [0, -1, .min])
  func `of nothing keeps nothing`(limit: Int) {
    let created = FrameBudget(maximumByteCount: limit)
    let reduced = FrameBudget()
    reduced.keep(Self.frame(5), for: Self.key(0))

    created.keep(Self.frame(1), for: Self.key(0))
    reduced.setMaximumByteCount(limit)

    #expect(created.count == 0 && created.byteCount == 0)
    #expect(reduced.count == 0 && reduced.byteCount == 0)
  }
}
