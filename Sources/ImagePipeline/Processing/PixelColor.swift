/// A colour of eight bits a sample, straight alpha.
public struct PixelColor: Sendable, Hashable, CustomStringConvertible {
  /// The samples.
  public var red, green, blue, alpha: UInt8

  /// Creates a colour; opaque unless said otherwise.
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

  /// Black, for what is painted over anyway.
  public static let black = PixelColor(red: 0, green: 0, blue: 0)
  /// White, which transparent pictures are laid on where the format has no alpha.
  public static let white = PixelColor(red: 255, green: 255, blue: 255)
  /// Nothing to be seen.
  public static let clear = PixelColor(red: 0, green: 0, blue: 0, alpha: 0)

  /// Red, green and blue as 0xRRGGBB.
  public var rgb: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }

  /// `rrggbbaa` in lower-case hex.
  public var description: String {
    [red, green, blue, alpha].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  var bytes: [UInt8] { [red, green, blue, alpha] }
}
