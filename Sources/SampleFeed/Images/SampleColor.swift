import TextEncodings

/// A colour with components from 0 through 255, light added up without gamma.
struct SampleColor: Sendable, Hashable {
  var red: Float
  var green: Float
  var blue: Float

  func mixed(with other: SampleColor, _ share: Float) -> SampleColor {
    SampleColor(
      red: red + (other.red - red) * share, green: green + (other.green - green) * share,
      blue: blue + (other.blue - blue) * share)
  }

  /// `0xRRGGBB`, as the API spells `image_hue`.
  var hue: String { "0x" + Hex.encoded([red, green, blue].map { UInt8($0) }) }
}

extension SampleColor {
  init(_ hex: UInt32) {
    self.init(red: Float(hex >> 16 & 255), green: Float(hex >> 8 & 255), blue: Float(hex & 255))
  }
}

struct SamplePalette: Sendable {
  /// At the top and at the horizon.
  var sky: (SampleColor, SampleColor)
  var light: SampleColor
  /// The hills, the far ones and the near ones.
  var hills: (SampleColor, SampleColor)

  private init(_ top: UInt32, _ low: UInt32, _ light: UInt32, _ far: UInt32, _ near: UInt32) {
    sky = (SampleColor(top), SampleColor(low))
    self.light = SampleColor(light)
    hills = (SampleColor(far), SampleColor(near))
  }

  static let all = [
    SamplePalette(0x2B3A67, 0xF6BD60, 0xFFF3D6, 0x84596B, 0x2A1E36),
    SamplePalette(0x0B132B, 0x3A506B, 0xF4F1DE, 0x1C2541, 0x060A18),
    SamplePalette(0x6EC6FF, 0xE3F6F5, 0xFFFBE6, 0x7FB77E, 0x1F5F3F),
    SamplePalette(0xFF9A8B, 0xFFD3B6, 0xFFFFFF, 0xC06C84, 0x355C7D),
    SamplePalette(0x8EC5FC, 0xE0C3FC, 0xFFFDF5, 0x7C83FD, 0x2E2A72),
    SamplePalette(0x134E5E, 0x71B280, 0xFDFCDC, 0x2A7F62, 0x0B2B26),
    SamplePalette(0xC94B4B, 0xF9D976, 0xFFF8E7, 0x8E3B46, 0x3B1C32),
    SamplePalette(0xB7C9E2, 0xF5F7FA, 0xFFFFFF, 0x8DA2BB, 0x44546A),
  ]
}
