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

  mutating func evict() { while byteCount > limit { kept.removeLast() } }
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
}
