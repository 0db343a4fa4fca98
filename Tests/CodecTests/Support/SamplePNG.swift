/// Writes PNGs byte by byte: any color type, any filter, any fault.
struct SamplePNG {
  var width: Int
  var height: Int
  var depth: UInt8 = 8
  /// 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA.
  var color: UInt8
  var isInterlaced = false
  var palette: [UInt8] = []
  var transparency: [UInt8] = []
  /// The number of chunks that hold the pixels.
  var pieces = 1
  /// The bytes after the pixels in place of IEND.
  var tail = Self.chunk("IEND", [])

  var samples: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][color] ?? 1 }

  /// Rows of pseudo-random samples, each after the filter that `filter` gives for it.
  func rows(seed: UInt64, filter: (Int) -> UInt8) -> [UInt8] {
    var state = seed
    return (0..<height).flatMap { y in
      [filter(y)]
        + (0..<width * samples * Int(depth) / 8).map { _ in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return UInt8(truncatingIfNeeded: state >> 40)
        }
    }
  }

  /// The file with these rows, not compressed.
  func file(rows: [UInt8]) -> [UInt8] {
    file(stream: [0x78, 0x01] + Self.stored(rows) + Self.bigEndian(Self.adler32(rows)))
  }

  /// The file with this stream of zlib.
  func file(stream: [UInt8]) -> [UInt8] {
    let header =
      Self.bigEndian(UInt32(width)) + Self.bigEndian(UInt32(height))
      + [depth, color, 0, 0, isInterlaced ? 1 : 0]
    var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10] + Self.chunk("IHDR", header)
    if !palette.isEmpty { file += Self.chunk("PLTE", palette) }
    if !transparency.isEmpty { file += Self.chunk("tRNS", transparency) }
    let size = (stream.count + pieces - 1) / pieces
    for start in stride(from: 0, to: stream.count, by: size) {
      file += Self.chunk("IDAT", Array(stream[start..<min(start + size, stream.count)]))
    }
    return file + tail
  }

  static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + body
    return bigEndian(UInt32(body.count)) + named + bigEndian(crc32(named))
  }

  static func bigEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  static func adler32(_ bytes: [UInt8]) -> UInt32 {
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in bytes {
      low = (low + UInt32(byte)) % 65521
      high = (high + low) % 65521
    }
    return high << 16 | low
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in
        value >> 1 ^ (value & 1 == 1 ? 0xedb8_8320 : 0)
      }
    }
  }

  /// An uncompressed DEFLATE stream.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bytes.count, by: 65535).flatMap { start in
      let part = bytes[start..<min(start + 65535, bytes.count)]
      let low = UInt8(part.count & 255)
      let high = UInt8(part.count >> 8)
      return [part.endIndex == bytes.count ? 1 : 0, low, high, ~low, ~high] + part
    }
  }
}
