import Foundation
import ImageCodecs
import ImageModel

/// Images with about as much detail as photographs: soft shapes of all sizes, edges, a
/// grain.
///
/// They are generated from a seed, so every machine has the same; or read from the folder that
/// `BENCHMARK_PHOTOS` names.
package enum Photographs {
  static let landscape = PixelSize(width: 1200, height: 800)
  package static let small = PixelSize(width: 640, height: 480)

  /// Pixels of one image.
  static func pixels(_ size: PixelSize, seed: UInt64) -> PixelBuffer {
    var random = SplitMix64(seed: seed)
    // Grids of random values, each twice as fine as the one before and a little weaker.
    let octaves = (2...7).map { power in
      let side = 1 << power
      return (
        side,
        (0..<3 * (side + 1) * (side + 1)).map { _ in Float.random(in: -1...1, using: &random) }
      )
    }
    var samples = [UInt8](repeating: 255, count: 4 * size.pixelCount)
    var grain = random
    for y in 0..<size.height {
      for x in 0..<size.width {
        var color = SIMD3<Float>(repeating: 128)
        for (index, octave) in octaves.enumerated() {
          let value = sample(
            octave, x: Float(x) / Float(size.width), y: Float(y) / Float(size.height))
          // Every second grid is cut to two levels: edges.
          let shaped = index == 1 ? value.replacing(with: 0.6, where: value .> 0) : value
          color += shaped * (70 / Float(index + 1))
        }
        color += Float(Int8(truncatingIfNeeded: grain.next())) * 0.03
        let clamped = color.clamped(
          lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 255))
        let start = 4 * (y * size.width + x)
        for channel in 0..<3 { samples[start + channel] = UInt8(clamped[channel]) }
      }
    }
    return PixelBuffer(size: size, bytes: samples)
  }

  private static func sample(_ octave: (side: Int, values: [Float]), x: Float, y: Float) -> SIMD3<
    Float
  > {
    let (column, row) = (x * Float(octave.side), y * Float(octave.side))
    let (left, top) = (Int(column), Int(row))
    let (across, down) = (column - Float(left), row - Float(top))
    func at(_ x: Int, _ y: Int) -> SIMD3<Float> {
      let start = 3 * (y * (octave.side + 1) + x)
      return SIMD3(octave.values[start], octave.values[start + 1], octave.values[start + 2])
    }
    let above = at(left, top) * (1 - across) + at(left + 1, top) * across
    let below = at(left, top + 1) * (1 - across) + at(left + 1, top + 1) * across
    return above * (1 - down) + below * down
  }

  /// Files of the folder that `BENCHMARK_PHOTOS` names, in its sub-folder for the kind, or
  /// generated images.
  static func files(
    _ kind: String, count: Int, make: (UInt64) throws -> [UInt8]
  ) throws -> [[UInt8]] {
    guard let folder = ProcessInfo.processInfo.environment["BENCHMARK_PHOTOS"] else {
      return try (0..<count).map { try make(UInt64($0 + 1)) }
    }
    let path = "\(folder)/\(kind)"
    return try FileManager.default.contentsOfDirectory(atPath: path).sorted().prefix(24).map {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + $0)))
    }
  }

  package static func jpegs(_ size: PixelSize, count: Int = 4) throws -> [[UInt8]] {
    try files("jpg-\(size.width)x\(size.height)", count: count) {
      try ImageCodecs.encodeJPEG(pixels(size, seed: $0), options: .init(quality: 85))
    }
  }

  static func progressiveJPEGs(count: Int = 2) throws -> [[UInt8]] {
    var options = EncodingOptions(quality: 85)
    options.isProgressive = true
    let chosen = options
    return try files("jpg-1200x800-prog", count: count) {
      try ImageCodecs.encodeJPEG(pixels(landscape, seed: $0), options: chosen)
    }
  }

  static func pngs(count: Int = 2) throws -> [[UInt8]] {
    try files("png-1200x800", count: count) {
      try ImageCodecs.encodePNG(pixels(landscape, seed: $0), options: EncodingOptions(level: 6))
    }
  }

  /// The PNGs, written as WebP of quality 80.
  static func webps() throws -> [[UInt8]] {
    try pngs().map { try ImageCodecs.encodeWebP(ImageCodecs.decode($0.span.bytes)) }
  }

  /// Six frames, a part of which moves.
  static func animation() -> [AnimationFrame] {
    let size = PixelSize(width: 320, height: 240)
    let still = pixels(size, seed: 11)
    return (0..<6).map { number in
      var frame = still
      let moved = pixels(PixelSize(width: 80, height: 60), seed: 20 + UInt64(number))
      frame.withMutableBytes { raw in
        for row in 0..<60 {
          let start = 4 * ((row + 90) * size.width + 40 * number)
          moved.bytes.withUnsafeBytes {
            raw[start..<start + 320].copyBytes(from: $0[320 * row..<320 * (row + 1)])
          }
        }
      }
      return AnimationFrame(pixels: frame, delay: .milliseconds(80))
    }
  }
}
