public import ImageModel
import TextEncodings

/// A colour with straight alpha, 8 bits a sample.
public struct PixelColor: Sendable, Hashable, CustomStringConvertible {
  /// The samples.
  public var red, green, blue, alpha: UInt8

  /// Creates a colour, opaque by default.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Reads `RRGGBB` or `RRGGBBAA`, with or without a `#`; `nil` for anything else.
  public init?(hex: some StringProtocol) {
    let digits = hex.hasPrefix("#") ? String(hex.dropFirst()) : String(hex)
    guard digits.utf8.count == 6 || digits.utf8.count == 8,
      digits.allSatisfy({ $0.isHexDigit && $0.isASCII }), let value = UInt32(digits, radix: 16)
    else { return nil }
    let all = digits.utf8.count == 6 ? value << 8 | 255 : value
    self.init(
      red: UInt8(all >> 24), green: UInt8(all >> 16 & 255), blue: UInt8(all >> 8 & 255),
      alpha: UInt8(all & 255))
  }

  /// Opaque black.
  public static let black = PixelColor(red: 0, green: 0, blue: 0)
  /// Opaque white, the background of transparent images in formats without alpha.
  public static let white = PixelColor(red: 255, green: 255, blue: 255)
  /// Transparent.
  public static let clear = PixelColor(red: 0, green: 0, blue: 0, alpha: 0)

  /// Red, green and blue as 0xRRGGBB.
  public var rgb: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }

  /// `rrggbbaa` in lower-case hex.
  public var description: String { Hex.encoded(bytes) }

  var bytes: [UInt8] { [red, green, blue, alpha] }
}

extension PixelBuffer {
  /// Returns the colour of a pixel, counted from the upper left corner.
  ///
  /// - Precondition: The pixel is inside the image.
  public func pixel(x: Int, y: Int) -> PixelColor {
    precondition((0..<width).contains(x) && (0..<height).contains(y), "no pixel \(x), \(y)")
    let at = y * bytesPerRow + 4 * x
    return PixelColor(
      red: bytes[at], green: bytes[at + 1], blue: bytes[at + 2], alpha: bytes[at + 3])
  }
}

enum DominantColor {
  /// Returns the mean of the pixels in the fullest of 16 × 16 × 16 bins, weighed by their alpha;
  /// black for a transparent image.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for an image without pixels.
  static func of(_ image: PixelBuffer) throws(ImageError) -> PixelColor {
    let small = try Resize(PixelSize(width: 64, height: 64), fit: .inside, filter: .area)
      .process(image)
    // Weight, red, green and blue of each bin.
    var sums = [SIMD4<Int>](repeating: .zero, count: 4096)
    for at in stride(from: 0, to: small.bytes.count, by: 4) {
      let (r, g, b) = (Int(small.bytes[at]), Int(small.bytes[at + 1]), Int(small.bytes[at + 2]))
      let alpha = Int(small.bytes[at + 3])
      let shade = (r >> 4) << 8 | (g >> 4) << 4 | b >> 4
      sums[shade] &+= SIMD4(1, r, g, b) &* alpha
    }
    // Of equal bins the first wins, so that the result is always the same.
    let weight = sums.reduce(0) { max($0, $1.x) }
    guard weight > 0, let best = sums.first(where: { $0.x == weight }) else { return .black }
    func mean(_ sum: Int) -> UInt8 { UInt8((sum + weight / 2) / weight) }
    return PixelColor(red: mean(best.y), green: mean(best.z), blue: mean(best.w))
  }
}
