import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `Resampling` {
  /// The same filter in floating point, over premultiplied samples, without any rounding between.
  static func reference(_ source: PixelBuffer, _ region: PixelRect, _ target: PixelSize) -> [Double]
  {
    func weights(_ count: Int, _ start: Double, _ length: Double, _ size: Int) -> [[(Int, Double)]]
    {
      let scale = length / Double(size)
      let stretch = max(scale, 1)
      return (0..<size).map { to in
        let center = start + (Double(to) + 0.5) * scale
        let range =
          max(0, Int(center - 3 * stretch) - 1)..<min(count, Int(center + 3 * stretch) + 2)
        let all = range.map { index -> (Int, Double) in
          let x = (Double(index) + 0.5 - center) / stretch
          if x == 0 { return (index, 1) }
          guard abs(x) < 3 else { return (index, 0) }
          return (index, sin(.pi * x) / (.pi * x) * sin(.pi * x / 3) / (.pi * x / 3))
        }
        let sum = all.reduce(0) { $0 + $1.1 }
        return all.map { ($0.0, $0.1 / sum) }
      }
    }
    let down = weights(source.height, region.top, region.height, target.height)
    let across = weights(source.width, region.left, region.width, target.width)
    var result: [Double] = []
    for y in 0..<target.height {
      var merged = [Double](repeating: 0, count: 4 * source.width)
      for (row, weight) in down[y] {
        for x in 0..<source.width {
          let pixel = source[x, row]
          let alpha = Double(pixel[3]) / 255
          for c in 0..<3 { merged[4 * x + c] += weight * Double(pixel[c]) * alpha }
          merged[4 * x + 3] += weight * Double(pixel[3])
        }
      }
      for x in 0..<target.width {
        var sums = [0.0, 0, 0, 0]
        for (column, weight) in across[x] {
          for c in 0..<4 { sums[c] += weight * merged[4 * column + c] }
        }
        let alpha = min(max(sums[3], 0), 255)
        for c in 0..<3 {
          result.append(sums[3] > 0 ? min(max(sums[c] * 255 / sums[3], 0), 255) : 0)
        }
        result.append(alpha)
      }
    }
    return result
  }

  static let cases: [(PixelRect, PixelSize)] = [
    (PixelRect(left: 0, top: 0, width: 90, height: 70), PixelSize(width: 30, height: 20)),
    (PixelRect(left: 10.5, top: 3.25, width: 60, height: 60), PixelSize(width: 17, height: 17)),
    (PixelRect(left: 0, top: 0, width: 90, height: 70), PixelSize(width: 131, height: 99)),
    (PixelRect(left: 0, top: 0, width: 90, height: 70), PixelSize(width: 1, height: 70)),
  ]

  @Test(arguments: cases)
  func `the result matches the filter in floating point`(plan: (PixelRect, PixelSize)) throws {
    let source = SampleImages.gradient(90, 70)
    let result = try source.resampled(plan.0, to: plan.1, filter: .lanczos3)
    let exact = Self.reference(source, plan.0, plan.1)

    let worst = zip(result.bytes, exact).map { abs(Double($0) - $1) }.max() ?? 255
    // Half a step of rounding, and as much again from 14-bit weights and 6 bits between the passes.
    #expect(worst <= 1.1)
  }

  @Test(arguments: cases)
  func `SIMD and plain C agree to the bit`(plan: (PixelRect, PixelSize)) throws {
    for source in [SampleImages.gradient(90, 70), SampleImages.translucent(90, 70)] {
      for filter in ResamplingFilter.allCases {
        let fast = try source.resampled(plan.0, to: plan.1, filter: filter)
        let plain = try source.resampled(plan.0, to: plan.1, filter: filter, isPortable: true)

        #expect(fast == plain)
      }
    }
  }

  @Test(arguments: ResamplingFilter.allCases, [1, 7, 40, 300])
  func `a flat color is unchanged at any size`(filter: ResamplingFilter, side: Int) throws {
    for color in [[255, 255, 255, 255], [0, 0, 0, 255], [13, 200, 77, 255], [13, 200, 77, 128]] {
      let source = SampleImages.flat(123, 77, color.map { UInt8($0) })
      let target = PixelSize(width: side, height: side)

      let result = try source.resampled(PixelRect(source.size), to: target, filter: filter)

      let expected = SampleImages.flat(side, side, color.map { UInt8($0) })
      // Colours under alpha 128 come back within one step of dividing it out.
      #expect(result.difference(from: expected) <= (color[3] == 255 ? 0 : 1))
    }
  }

  @Test func `colors of transparent pixels do not bleed into their neighbors`() throws {
    var source = SampleImages.flat(40, 40, [255, 0, 0, 255])
    source.withMutableBytes { raw in
      for y in 0..<40 {
        for x in 0..<20 {
          for (c, sample) in [UInt8(0), 255, 0, 0].enumerated() {
            raw[160 * y + 4 * x + c] = sample
          }
        }
      }
    }

    let result = try source.resampled(
      PixelRect(source.size), to: PixelSize(width: 11, height: 11), filter: .lanczos3)

    for x in 0..<11 where result[x, 5][3] > 0 { #expect(result[x, 5][1] == 0) }
  }

  /// The means of blocks of pixels, colours weighed by alpha, in plain integers.
  private static func means(of source: PixelBuffer, block: Int) -> PixelBuffer {
    let size = PixelSize(
      width: (source.width + block - 1) / block, height: (source.height + block - 1) / block)
    var bytes: [UInt8] = []
    for top in stride(from: 0, to: source.height, by: block) {
      for left in stride(from: 0, to: source.width, by: block) {
        var (sums, count) = ([0, 0, 0, 0], 0)
        for y in top..<min(top + block, source.height) {
          for x in left..<min(left + block, source.width) {
            let pixel = source[x, y].map { Int($0) }
            for c in 0..<3 { sums[c] += (pixel[c] * pixel[3] + 127) / 255 }
            sums[3] += pixel[3]
            count += 1
          }
        }
        let alpha = max(sums[3], 1)
        bytes += sums[0..<3].map { UInt8(min(($0 * 255 + sums[3] / 2) / alpha, 255)) }
        bytes.append(UInt8((sums[3] + count / 2) / count))
      }
    }
    return PixelBuffer(size: size, bytes: bytes)
  }

  @Test(
    arguments: [
      (PixelSize(width: 181, height: 97), PixelSize(width: 9, height: 5), 2),
      (PixelSize(width: 211, height: 220), PixelSize(width: 9, height: 9), 2),
      (PixelSize(width: 200, height: 213), PixelSize(width: 8, height: 8), 3),
      (PixelSize(width: 331, height: 300), PixelSize(width: 1, height: 1), 37),
    ], [false, true])
  func `a large reduction scales block means`(
    plan: (size: PixelSize, target: PixelSize, block: Int), isPortable: Bool
  ) throws {
    let (size, target, block) = plan
    for source in [
      SampleImages.noise(size.width, size.height, seed: 5),
      SampleImages.translucent(size.width, size.height),
    ] {
      let result = try source.resampled(
        PixelRect(source.size), to: target, filter: .area, isPortable: isPortable)

      let region = PixelRect(
        left: 0, top: 0, width: Double(size.width) / Double(block),
        height: Double(size.height) / Double(block))
      let expected = try Self.means(of: source, block: block)
        .resampled(region, to: target, filter: .area)
      #expect(result.bytes == expected.bytes)
    }
  }

  @Test func `block sums over hundreds of rows do not overflow`() throws {
    let size = PixelSize(width: 2200, height: 2200)
    let source = PixelBuffer(size: size, bytes: [UInt8](repeating: 255, count: 4 * size.pixelCount))

    let result = try source.resampled(
      PixelRect(size), to: PixelSize(width: 1, height: 1), filter: .area)

    #expect(result.bytes == [255, 255, 255, 255])
  }

  @Test func `weights shared by threads give the same bytes as new ones`() async throws {
    let source = SampleImages.noise(120, 90, seed: 9)
    // More sizes than tables of weights are kept.
    let sizes = (10..<40).map { PixelSize(width: $0, height: $0 + 3) }
    let scale: @Sendable (PixelSize) throws -> [UInt8] = { size in
      try source.resampled(PixelRect(source.size), to: size, filter: .lanczos3).bytes
    }
    let once = try sizes.map(scale)

    try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
      for _ in 0..<4 { group.addTask { try sizes.flatMap { [try scale($0), try scale($0)] } } }
      for try await made in group { #expect(made == once.flatMap { [$0, $0] }) }
    }
  }

  @Test(arguments: [
    PixelRect(left: .nan, top: 0, width: 5, height: 5),
    PixelRect(left: 0, top: 0, width: .infinity, height: 5),
    PixelRect(left: 0, top: 0, width: 0, height: 5),
    PixelRect(left: -1, top: 0, width: 5, height: 5),
    PixelRect(left: 8, top: 0, width: 5, height: 5),
  ])
  func `an invalid region is an error`(region: PixelRect) {
    let error = imageError {
      try SampleImages.gradient(10, 10).resampled(
        region, to: PixelSize(width: 4, height: 4), filter: .lanczos3)
    }
    #expect(error?.code == .invalidArgument)
  }
}
