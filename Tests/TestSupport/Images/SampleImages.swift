import ImageCodecs
import ImageModel

enum SampleImages {
  /// Opaque, with a different color in every corner and no two equal neighbors.
  static func gradient(_ width: Int, _ height: Int, shift: Int = 0) -> PixelBuffer {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * width * height)
    for y in 0..<height {
      for x in 0..<width {
        bytes += [
          UInt8((x * 255 / width + shift) & 255), UInt8(y * 255 / height),
          UInt8((x * 3 + y * 5 + shift) & 255), 255,
        ]
      }
    }
    return PixelBuffer(size: PixelSize(width: width, height: height), bytes: bytes)
  }

  static func translucent(_ width: Int, _ height: Int) -> PixelBuffer {
    var pixels = gradient(width, height)
    pixels.withMutableBytes { raw in
      for at in stride(from: 3, to: raw.count, by: 4) { raw[at] = UInt8(at / 4 * 7 % 256) }
    }
    return pixels
  }

  /// Opaque noise, which no codec compresses.
  static func noise(_ width: Int, _ height: Int, seed: UInt64) -> PixelBuffer {
    var random = SplitMix64(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * width * height)
    for _ in 0..<width * height {
      let word = random.next()
      bytes += [UInt8(word & 255), UInt8(word >> 8 & 255), UInt8(word >> 16 & 255), 255]
    }
    return PixelBuffer(size: PixelSize(width: width, height: height), bytes: bytes)
  }

  static func flat(_ width: Int, _ height: Int, _ color: [UInt8]) -> PixelBuffer {
    PixelBuffer(
      size: PixelSize(width: width, height: height),
      bytes: Array(repeatElement(color, count: width * height).joined()))
  }

  /// Smooth, so that a JPEG of it is close to it: four quarters of different colors.
  static func quarters(_ width: Int, _ height: Int) -> PixelBuffer {
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        bytes += [x * 2 < width ? 220 : 30, y * 2 < height ? 200 : 40, 90, 255]
      }
    }
    return PixelBuffer(size: PixelSize(width: width, height: height), bytes: bytes)
  }

  /// A JPEG with segments inserted after its start of image.
  static func jpeg(_ jpeg: [UInt8], inserting segments: [[UInt8]]) -> [UInt8] {
    Array(jpeg[..<2]) + segments.joined() + Array(jpeg[2...])
  }

  /// The EXIF APP1 segment with only an orientation.
  static func exif(orientation: UInt8) -> [UInt8] {
    let tiff: [UInt8] =
      [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0]
      + [0, 0, 0, 0]
    let body = Array("Exif".utf8) + [0, 0] + tiff
    return [0xff, 0xe1, 0, UInt8(body.count + 2)] + body
  }

  /// A GIF of hand-written blocks over the palette black, red, green, blue.
  struct GIF {
    var bytes: [UInt8]

    init(_ width: UInt8, _ height: UInt8, loops: UInt16? = nil) {
      bytes = Array("GIF89a".utf8) + [width, 0, height, 0, 0x81, 0, 0]
      bytes += [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]
      if let loops {
        bytes += [0x21, 0xff, 11] + Array("NETSCAPE2.0".utf8)
        bytes += [3, 1, UInt8(loops & 255), UInt8(loops >> 8), 0]
      }
    }

    /// Adds a frame of one color; `transparent` names an index that is not drawn.
    mutating func add(
      left: UInt8 = 0, top: UInt8 = 0, _ width: UInt8, _ height: UInt8, index: UInt8,
      disposal: UInt8 = 0, delay: UInt8 = 10, transparent: UInt8? = nil
    ) {
      bytes += [0x21, 0xf9, 4, disposal << 2 | (transparent == nil ? 0 : 1), delay, 0]
      bytes += [transparent ?? 0, 0]
      bytes += [0x2c, left, 0, top, 0, width, 0, height, 0, 0, 2]
      // A clear code before each pixel keeps all codes at three bits.
      var codes: [UInt8] = []
      for _ in 0..<Int(width) * Int(height) { codes += [4, index] }
      codes.append(5)
      var packed: [UInt8] = []
      var bits = 0
      var count = 0
      for code in codes {
        bits |= Int(code) << count
        count += 3
        while count >= 8 {
          packed.append(UInt8(bits & 255))
          bits >>= 8
          count -= 8
        }
      }
      if count > 0 { packed.append(UInt8(bits)) }
      for start in stride(from: 0, to: packed.count, by: 255) {
        let block = packed[start..<min(start + 255, packed.count)]
        bytes += [UInt8(block.count)] + block
      }
      bytes.append(0)
    }

    func finished() -> [UInt8] { bytes + [0x3b] }
  }
}

extension FrameReader {
  /// All frames that follow.
  func rest(of bytes: [UInt8]) throws -> [AnimationFrame] {
    var frames: [AnimationFrame] = []
    while let frame = try next(of: bytes.span.bytes) { frames.append(frame) }
    return frames
  }
}

extension PixelBuffer {
  /// Red, green, blue, alpha of one pixel.
  subscript(x: Int, y: Int) -> [UInt8] {
    let start = y * bytesPerRow + 4 * x
    return Array(bytes[start..<start + 4])
  }

  /// The largest difference of any sample; 255 where the sizes differ.
  func difference(from other: PixelBuffer) -> Int {
    guard size == other.size else { return 255 }
    return zip(bytes, other.bytes).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
  }
}

extension SampleImages {
  static let widePhoto: [UInt8] = (try? ImageCodecs.encodeJPEG(gradient(120, 80))) ?? []
  static let photo: [UInt8] =
    (try? ImageCodecs.encodeJPEG(gradient(64, 48), options: .init(quality: 90))) ?? []
  static let progressivePhoto: [UInt8] = {
    var options = EncodingOptions(quality: 90)
    options.isProgressive = true
    return (try? ImageCodecs.encodeJPEG(gradient(320, 200), options: options)) ?? []
  }()

  /// A small JPEG with comments in front of its image that no compression or pattern makes equal.
  static func photo(byteCount: Int) throws -> [UInt8] {
    let jpeg = try ImageCodecs.encodeJPEG(gradient(4, 4))
    var random = SplitMix64(seed: UInt64(byteCount))
    var segments: [[UInt8]] = []
    var rest = byteCount - jpeg.count
    while rest > 0 {
      // The last one must not be shorter than its own head.
      let count = rest <= 65_000 ? rest : min(65_000, rest - 100)
      segments.append([0xFF, 0xFE, UInt8((count - 2) >> 8), UInt8((count - 2) & 255)])
      segments[segments.count - 1] += (4..<count).map { _ in UInt8(random.next() & 127) }
      rest -= count
    }
    return self.jpeg(jpeg, inserting: segments)
  }
}

/// GIFs whose frames announce pixels without codes: huge to decode, tiny as files.
enum HollowGIF {
  /// - Parameters:
  ///   - canvas: A side of the canvas.
  ///   - frame: A side of each frame.
  static func bytes(canvas: Int, frame: Int, count: Int) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    var gif = Array("GIF89a".utf8) + number(canvas) + number(canvas) + [0x80, 0, 0]
    gif += [0, 0, 0, 255, 255, 255]
    for _ in 0..<count {
      gif += [0x2C, 0, 0, 0, 0] + number(frame) + number(frame) + [0]
      // Codes of three bits: clear, one pixel, end.
      gif += [2, 2, 0x44, 0x01, 0]
    }
    return gif + [0x3B]
  }
}
