import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// The published algorithm, written as in its own description: plain loops, no shared parts.
private struct PlainThumbHash {
  struct Channel {
    var mean = 0.0
    var values: [Double] = []
    var scale = 0.0
  }

  /// Coefficients in the order of the format: rows of frequencies, each shorter than the last.
  static func encode(_ plane: [Double], _ w: Int, _ h: Int, nx: Int, ny: Int) -> Channel {
    var channel = Channel()
    for cy in 0..<ny {
      var cx = 0
      while cx * ny < nx * (ny - cy) {
        var sum = 0.0
        for y in 0..<h {
          for x in 0..<w {
            sum +=
              plane[x + y * w]
              * cos(Double.pi / Double(w) * Double(cx) * (Double(x) + 0.5))
              * cos(Double.pi / Double(h) * Double(cy) * (Double(y) + 0.5))
          }
        }
        sum /= Double(w * h)
        if cx > 0 || cy > 0 {
          channel.values.append(sum)
          channel.scale = max(channel.scale, abs(sum))
        } else {
          channel.mean = sum
        }
        cx += 1
      }
    }
    if channel.scale > 0 {
      channel.values = channel.values.map { 0.5 + 0.5 / channel.scale * $0 }
    }
    return channel
  }

  /// The header as fields and the values of four bits, before they are rounded.
  var fields: [Double] = []
  var flags: [Bool] = []
  var shorter = 0
  var nibbles: [Double] = []

  init(_ image: PixelBuffer) {
    let (w, h) = (image.width, image.height)
    var average = [0.0, 0, 0, 0]
    for at in stride(from: 0, to: image.bytes.count, by: 4) {
      let alpha = Double(image.bytes[at + 3]) / 255
      for part in 0..<3 { average[part] += alpha / 255 * Double(image.bytes[at + part]) }
      average[3] += alpha
    }
    if average[3] > 0 { for part in 0..<3 { average[part] /= average[3] } }
    let hasAlpha = average[3] < Double(w * h)
    let limit = hasAlpha ? 5.0 : 7.0
    let longer = Double(max(w, h))
    let lx = max(1, Int((limit * Double(w) / longer).rounded()))
    let ly = max(1, Int((limit * Double(h) / longer).rounded()))
    var (l, p, q, a) = ([Double](), [Double](), [Double](), [Double]())
    for at in stride(from: 0, to: image.bytes.count, by: 4) {
      let alpha = Double(image.bytes[at + 3]) / 255
      let color = (0..<3).map {
        average[$0] * (1 - alpha) + alpha / 255 * Double(image.bytes[at + $0])
      }
      l.append((color[0] + color[1] + color[2]) / 3)
      p.append((color[0] + color[1]) / 2 - color[2])
      q.append(color[0] - color[1])
      a.append(alpha)
    }
    let light = Self.encode(l, w, h, nx: max(3, lx), ny: max(3, ly))
    let yellow = Self.encode(p, w, h, nx: 3, ny: 3)
    let red = Self.encode(q, w, h, nx: 3, ny: 3)
    let opacity = Self.encode(a, w, h, nx: 5, ny: 5)
    let isWide = w > h
    flags = [hasAlpha, isWide]
    shorter = isWide ? ly : lx
    fields = [
      63 * light.mean, 31.5 + 31.5 * yellow.mean, 31.5 + 31.5 * red.mean, 31 * light.scale,
      63 * yellow.scale, 63 * red.scale,
    ]
    if hasAlpha { fields += [15 * opacity.mean, 15 * opacity.scale] }
    nibbles = (light.values + yellow.values + red.values).map { 15 * $0 }
    if hasAlpha { nibbles += opacity.values.map { 15 * $0 } }
  }
}

@Suite struct `A ThumbHash by its definition` {
  /// The numbers in the bits of a hash.
  private static func parts(
    _ bytes: [UInt8]
  ) -> (fields: [Int], flags: [Bool], shorter: Int, nibbles: [Int]) {
    let first = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
    let second = Int(bytes[3]) | Int(bytes[4]) << 8
    let hasAlpha = first >> 23 & 1 == 1
    var fields = [first & 63, first >> 6 & 63, first >> 12 & 63, first >> 18 & 31]
    fields += [second >> 3 & 63, second >> 9 & 63]
    if hasAlpha { fields += [Int(bytes[5] & 15), Int(bytes[5] >> 4)] }
    let nibbles = bytes.dropFirst(hasAlpha ? 6 : 5).flatMap { [Int($0 & 15), Int($0 >> 4)] }
    return (fields, [hasAlpha, second >> 15 == 1], second & 7, nibbles)
  }

  private static func image(_ seed: Int) -> PixelBuffer {
    var random = SplitMix64(seed: UInt64(seed))
    func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    let (width, height) = (1 + number(24), 1 + number(24))
    switch seed % 4 {
    case 0: return SampleImages.noise(width, height, seed: random.next())
    case 1: return SampleImages.translucent(width, height)
    case 2:
      var image = SampleImages.noise(width, height, seed: random.next())
      image.clear(left: number(width), top: number(height), size: PixelSize(width: 9, height: 9))
      return image
    default: return SampleImages.gradient(width, height, shift: number(255))
    }
  }

  @Test(arguments: 0..<40)
  func `has the coefficients of the published algorithm`(seed: Int) throws {
    let image = Self.image(seed)
    let expected = PlainThumbHash(image)

    let parts = Self.parts(try ThumbHash(of: image).bytes)

    let place = "seed \(seed), \(image.size)"
    #expect(parts.flags == expected.flags, "\(place)")
    #expect(parts.shorter == expected.shorter, "\(place)")
    #expect(parts.nibbles.count == (expected.nibbles.count + 1) / 2 * 2, "\(place)")
    // A value half way between two steps may be rounded to either.
    for (made, exact) in zip(parts.fields, expected.fields) {
      #expect(abs(Double(made) - exact) <= 0.5 + 1e-6, "\(place)")
    }
    for (index, exact) in expected.nibbles.enumerated() {
      #expect(abs(Double(parts.nibbles[index]) - exact) <= 0.5 + 1e-6, "\(place), \(index)")
    }
  }

  @Test func `of a transparent image and of a single pixel is made as well`() throws {
    let clear = Self.parts(
      try ThumbHash(of: PixelBuffer(clear: PixelSize(width: 4, height: 4))).bytes)
    let pixel = Self.parts(try ThumbHash(of: SampleImages.flat(1, 1, [255, 255, 255, 255])).bytes)

    #expect(clear.flags == [true, false] && clear.fields[6] == 0)
    // At its one sample the second wave is -1, so the light is also the scale.
    #expect(pixel.flags == [false, false])
    #expect(pixel.fields == [63, 32, 32, 31, 0, 0])
  }

  @Test func `of an image above 100 pixels a side is that of its reduction`() throws {
    let large = SampleImages.quarters(400, 300)
    let small = try Resize(PixelSize(width: 100, height: 100), fit: .inside, filter: .area)
      .process(large)

    #expect(small.size == PixelSize(width: 100, height: 75))
    #expect(try ThumbHash(of: large) == ThumbHash(of: small))
  }
}
