import Foundation
import ImageCodecs
import ImageModel

/// Our resampler compared with a copy of the image: every pixel has to be read once, whatever is
/// done to it.
enum ResizeComparisons {
  static let all = [
    resize(
      "Lanczos 1200x800 → 300x200", PixelSize(width: 300, height: 200), .lanczos3, mayCost: 40),
    resize(
      "Lanczos 1200x800 → 600x400", PixelSize(width: 600, height: 400), .lanczos3, mayCost: 50),
    Comparison(
      "Lanczos 1200x800 → 300x200, 2 threads", beside: "1 thread", clock: .wall, count: 60
    ) {
      let pixels = Photographs.pixels(Photographs.landscape, seed: 1)
      let step = Resize(PixelSize(width: 300, height: 200))
      return .scaling { _ in (try? step.process(pixels).width) ?? 0 }
    },
  ]

  private static func resize(
    _ name: String, _ size: PixelSize, _ filter: ResamplingFilter, mayCost: Double
  ) -> Comparison {
    Comparison(name, beside: "memcpy of the picture", count: 30, mayCost: mayCost) {
      let pixels = Photographs.pixels(Photographs.landscape, seed: 1)
      let step = Resize(size, filter: filter)
      let room = UInt(
        bitPattern: UnsafeMutableRawPointer.allocate(byteCount: pixels.bytes.count, alignment: 64))
      return Contest { count in
        for _ in 0..<count { consume(try step.process(pixels).width) }
      } limit: { count in
        guard let room = UnsafeMutableRawPointer(bitPattern: room) else { return }
        for _ in 0..<count {
          pixels.bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            memcpy(room, start, source.count)
          }
          consume(Int(room.load(as: UInt8.self)))
        }
      } end: {
        UnsafeMutableRawPointer(bitPattern: room)?.deallocate()
      }
    }
  }
}
