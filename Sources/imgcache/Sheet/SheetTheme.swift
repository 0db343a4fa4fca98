import ArgumentParser
import ImageCodecs

struct SheetTheme: Sendable, Hashable {
  enum Name: String, CaseIterable, ExpressibleByArgument, Sendable {
    case light, dark
  }

  let paper: PixelColor
  let ink: PixelColor
  let muted: PixelColor
  let shade: PixelColor

  static let light = SheetTheme(paper: 0xFAFAF8, ink: 0x1B1C1E, muted: 0x65686D, shade: 0xE7E7E4)
  static let dark = SheetTheme(paper: 0x141619, ink: 0xF0F1F2, muted: 0x9EA4AB, shade: 0x2A2D32)

  private init(paper: UInt32, ink: UInt32, muted: UInt32, shade: UInt32) {
    self.paper = PixelColor(rgb: paper)
    self.ink = PixelColor(rgb: ink)
    self.muted = PixelColor(rgb: muted)
    self.shade = PixelColor(rgb: shade)
  }

  /// Without a name light, or what suits the background, whose transparency is left out.
  init(_ name: Name?, background: PixelColor?) {
    guard let background else {
      self = name == .dark ? .dark : .light
      return
    }
    let brightness = Int(background.red) * 2 + Int(background.green) * 7 + Int(background.blue)
    let other = brightness > 1275 ? SheetTheme.light : .dark
    paper = PixelColor(red: background.red, green: background.green, blue: background.blue)
    ink = other.ink
    muted = PixelColor.mixed(other.ink, paper, share: 0.72)
    shade = PixelColor.mixed(other.ink, paper, share: 0.12)
  }
}

extension PixelColor {
  fileprivate init(rgb: UInt32) {
    self.init(red: UInt8(rgb >> 16 & 255), green: UInt8(rgb >> 8 & 255), blue: UInt8(rgb & 255))
  }

  fileprivate static func mixed(_ one: PixelColor, _ other: PixelColor, share: Double) -> PixelColor
  {
    func mix(_ one: UInt8, _ other: UInt8) -> UInt8 {
      UInt8((Double(one) * share + Double(other) * (1 - share)).rounded())
    }
    return PixelColor(
      red: mix(one.red, other.red), green: mix(one.green, other.green),
      blue: mix(one.blue, other.blue))
  }
}
