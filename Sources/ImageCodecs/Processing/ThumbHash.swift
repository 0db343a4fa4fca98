public import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

/// An image in some twenty bytes: what can be shown before it comes.
///
/// The bytes are those of the published algorithm, so that other programs can read them. Source:
/// Evan Wallace, "ThumbHash: A very compact representation of an image placeholder", 2023:
/// luminance, two differences of colour and alpha as the first coefficients of a cosine transform,
/// four bits each.
public struct ThumbHash: Sendable, Hashable {
  /// The bytes: 17 to 25 of a hash made here. Another needs 17 to 29, by what its first bytes
  /// announce; bytes after those are kept and mean nothing.
  public let bytes: [UInt8]

  /// Takes bytes that were made before; `nil` where they are too few for what they announce.
  public init?(bytes: [UInt8]) {
    self.bytes = bytes
    guard bytes.count >= 5, bytes.count >= Header(bytes).byteCount else { return nil }
  }

  /// Makes the hash of an image. One of more than 100 pixels a side is made smaller first.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for an image without pixels.
  public init(of image: PixelBuffer) throws(ImageError) {
    let small = try Resize(PixelSize(width: 100, height: 100), fit: .inside, filter: .area)
      .process(image)
    self.init(planes: Planes(small))
  }

  /// The image that the bytes encode, 32 pixels on its longer side.
  public func pixels() -> PixelBuffer {
    let header = Header(bytes)
    let l = coefficients(0, header.columns, header.rows, header.lScale)
    let p = coefficients(l.end, 3, 3, header.pScale * 1.25)
    let q = coefficients(p.end, 3, 3, header.qScale * 1.25)
    let a = header.hasAlpha ? coefficients(q.end, 5, 5, header.aScale) : (values: [], end: 0)
    let shape = Double(header.width) / Double(header.height)
    let size = PixelSize(
      width: Int((shape > 1 ? 32 : 32 * shape).rounded()),
      height: Int((shape > 1 ? 32 / shape : 32).rounded()))
    var samples: [UInt8] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        func sum(_ values: [Double], _ columns: Int, _ rows: Int) -> Double {
          Self.sum(values, columns, rows, x: x, y: y, size)
        }
        let light = header.lMean + sum(l.values, header.columns, header.rows)
        let yellow = header.pMean + sum(p.values, 3, 3)
        let red = header.qMean + sum(q.values, 3, 3)
        let alpha = header.aMean + sum(a.values, 5, 5)
        let blue = light - 2.0 / 3 * yellow
        let r = (3 * light - blue + red) / 2
        samples += [r, r - red, blue, alpha].map { UInt8((min(max($0, 0), 1) * 255).rounded()) }
      }
    }
    return PixelBuffer(size: size, bytes: samples)
  }

  /// The base function of a cosine transform: `frequency` half waves over `count` samples.
  private static func wave(_ frequency: Int, _ sample: Int, of count: Int) -> Double {
    let angle = Double.pi / Double(count) * Double(frequency)
    return cos(angle * (Double(sample) + 0.5))
  }

  /// Columns of the transform that are kept in a row: fewer the finer the rows are.
  private static func kept(_ columns: Int, _ rows: Int, row: Int) -> Range<Int> {
    0..<(columns * (rows - row) + rows - 1) / rows
  }

  private static func sum(
    _ values: [Double], _ columns: Int, _ rows: Int, x: Int, y: Int, _ size: PixelSize
  ) -> Double {
    guard !values.isEmpty else { return 0 }
    var result = 0.0
    var index = 0
    for row in 0..<rows {
      let down = 2 * wave(row, y, of: size.height)
      for column in kept(columns, rows, row: row) where column + row > 0 {
        result += values[index] * down * wave(column, x, of: size.width)
        index += 1
      }
    }
    return result
  }

  private func coefficients(
    _ start: Int, _ columns: Int, _ rows: Int, _ scale: Double
  ) -> (values: [Double], end: Int) {
    let first = Header(bytes).hasAlpha ? 6 : 5
    var values: [Double] = []
    var index = start
    for row in 0..<rows {
      for column in Self.kept(columns, rows, row: row) where column + row > 0 {
        let nibble = bytes[first + index / 2] >> (index % 2 == 0 ? 0 : 4) & 15
        values.append((Double(nibble) / 7.5 - 1) * scale)
        index += 1
      }
    }
    return (values, index)
  }

  private struct Header {
    let lMean, pMean, qMean, aMean, lScale, pScale, qScale, aScale: Double
    let hasAlpha: Bool
    /// Sides of the image, the longer one 7, or 5 where it has alpha.
    let width, height: Int
    /// Coefficients of luminance across and down: 3 at least.
    var columns: Int { max(3, width) }
    var rows: Int { max(3, height) }

    init(_ bytes: [UInt8]) {
      let first = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
      let second = Int(bytes[3]) | Int(bytes[4]) << 8
      hasAlpha = first >> 23 == 1
      lMean = Double(first & 63) / 63
      pMean = Double(first >> 6 & 63) / 31.5 - 1
      qMean = Double(first >> 12 & 63) / 31.5 - 1
      lScale = Double(first >> 18 & 31) / 31
      pScale = Double(second >> 3 & 63) / 63
      qScale = Double(second >> 9 & 63) / 63
      let isWide = second >> 15 == 1
      let longer = hasAlpha ? 5 : 7
      width = isWide ? longer : max(1, second & 7)
      height = isWide ? max(1, second & 7) : longer
      let alpha = hasAlpha && bytes.count > 5 ? Int(bytes[5]) : 15
      aMean = Double(alpha & 15) / 15
      aScale = Double(alpha >> 4) / 15
    }

    var byteCount: Int {
      let planes = [(columns, rows), (3, 3), (3, 3)] + (hasAlpha ? [(5, 5)] : [])
      let nibbles = planes.reduce(0) { total, plane in
        total - 1 + (0..<plane.1).reduce(0) { $0 + kept(plane.0, plane.1, row: $1).count }
      }
      return (hasAlpha ? 6 : 5) + (nibbles + 1) / 2
    }
  }

  private struct Planes {
    /// Light, yellow against blue, red against green, and alpha of each pixel.
    let samples: [SIMD4<Double>]
    let size: PixelSize
    let hasAlpha: Bool

    init(_ image: PixelBuffer) {
      size = image.size
      let bytes = image.bytes
      let pixels = stride(from: 0, to: bytes.count, by: 4).map { at -> SIMD4<Double> in
        SIMD4<Double>(SIMD4(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3])) / 255.0
      }
      var sum = SIMD4<Double>.zero
      var opacity = 0.0
      for pixel in pixels {
        sum += pixel * pixel.w
        opacity += pixel.w
      }
      hasAlpha = opacity < Double(pixels.count)
      let mean = opacity > 0 ? sum / opacity : .zero
      samples = pixels.map { pixel in
        let shown: SIMD4<Double> = mean * (1 - pixel.w) + pixel * pixel.w
        return SIMD4(
          (shown.x + shown.y + shown.z) / 3, (shown.x + shown.y) / 2 - shown.z,
          shown.x - shown.y, pixel.w)
      }
    }

    /// The mean, the other coefficients brought to 0 through 1, and what they were divided by.
    func transform(_ plane: Int, _ columns: Int, _ rows: Int) -> (Double, [Double], Double) {
      let plane = samples.map { $0[plane] }
      var mean = 0.0
      var rest: [Double] = []
      // All columns of a row at once, each in a lane of its own.
      let across = (0..<size.width).map { x in
        var waves = SIMD8<Double>()
        for column in 0..<columns { waves[column] = ThumbHash.wave(column, x, of: size.width) }
        return waves
      }
      for row in 0..<rows {
        var sums = SIMD8<Double>()
        for y in 0..<size.height {
          let down = ThumbHash.wave(row, y, of: size.height)
          // In this order, and not row by row: others round the same sum.
          for x in 0..<size.width { sums += plane[x + y * size.width] * across[x] * down }
        }
        sums /= Double(size.pixelCount)
        for column in ThumbHash.kept(columns, rows, row: row) {
          if column + row > 0 { rest.append(sums[column]) } else { mean = sums[column] }
        }
      }
      let scale = rest.map(abs).max() ?? 0
      return (mean, rest.map { scale > 0 ? 0.5 + 0.5 / scale * $0 : 0.5 }, scale)
    }
  }

  private init(planes: Planes) {
    let longer = max(planes.size.width, planes.size.height)
    let limit = planes.hasAlpha ? 5 : 7
    func share(_ side: Int) -> Int {
      max(1, Int((Double(limit * side) / Double(longer)).rounded()))
    }
    let columns = share(planes.size.width)
    let rows = share(planes.size.height)
    let l = planes.transform(0, max(3, columns), max(3, rows))
    let p = planes.transform(1, 3, 3)
    let q = planes.transform(2, 3, 3)
    func scaled(_ value: Double, _ by: Double) -> Int { Int((value * by).rounded()) }
    let isWide = planes.size.width > planes.size.height
    var first = scaled(l.0, 63) | scaled(p.0 + 1, 31.5) << 6 | scaled(q.0 + 1, 31.5) << 12
    first |= scaled(l.2, 31) << 18 | (planes.hasAlpha ? 1 << 23 : 0)
    var second = (isWide ? rows : columns) | scaled(p.2, 63) << 3
    second |= scaled(q.2, 63) << 9 | (isWide ? 1 << 15 : 0)
    var bytes = [first, first >> 8, first >> 16, second, second >> 8].map {
      UInt8(truncatingIfNeeded: $0)
    }
    var nibbles = (l.1 + p.1 + q.1).map { scaled($0, 15) }
    if planes.hasAlpha {
      let a = planes.transform(3, 5, 5)
      bytes.append(UInt8(truncatingIfNeeded: scaled(a.0, 15) | scaled(a.2, 15) << 4))
      nibbles += a.1.map { scaled($0, 15) }
    }
    for start in stride(from: 0, to: nibbles.count, by: 2) {
      let high = start + 1 < nibbles.count ? nibbles[start + 1] << 4 : 0
      bytes.append(UInt8(truncatingIfNeeded: nibbles[start] | high))
    }
    self.bytes = bytes
  }
}
