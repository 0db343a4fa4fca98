import ImageCodecs
import ImageModel

extension PixelBuffer {
  /// Returns the image with pixels that are either opaque or transparent, for methods without
  /// alpha. With an unknown background a pixel is opaque when its alpha is at least 128.
  func withoutHalfTones(over background: PixelColor?) -> PixelBuffer {
    if isOpaque { return self }
    var result = self
    result.withMutableBytes { raw in
      for at in stride(from: 0, to: raw.count, by: 4) {
        let alpha = Int(raw[at + 3])
        guard let background else {
          raw[at + 3] = alpha < 128 ? 0 : 255
          continue
        }
        // Almost transparent: left to the terminal, whose background may be an image.
        guard alpha >= 8 else {
          raw[at + 3] = 0
          continue
        }
        for (channel, under) in [background.red, background.green, background.blue].enumerated() {
          let mixed = Int(raw[at + channel]) * alpha + Int(under) * (255 - alpha)
          raw[at + channel] = UInt8((mixed + 127) / 255)
        }
        raw[at + 3] = 255
      }
    }
    return result
  }

  func gray() -> PixelBuffer {
    var result = self
    result.withMutableBytes { raw in
      for at in stride(from: 0, to: raw.count, by: 4) {
        let light = UInt8(Self.light(raw[at], raw[at + 1], raw[at + 2]))
        for channel in 0..<3 { raw[at + channel] = light }
      }
    }
    return result
  }

  /// Returns the lightness of a color, 0 through 255, by the weights of ITU-R BT.709.
  static func light(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
    (2126 * Int(red) + 7152 * Int(green) + 722 * Int(blue) + 5000) / 10_000
  }
}
