import ImageModel

@testable import Typesetting

/// Whether texts can be drawn here, and Chinese with them.
enum Fonts {
  static let canDraw = (try? TypesettingLibraries.load()) != nil

  static let haveChinese: Bool = {
    guard let canvas = try? Canvas(PixelSize(width: 50, height: 50)) else { return false }
    canvas.text("知乎", x: 0, y: 0, TextStyle(size: 12))
    return canvas.missingGlyphs == MissingGlyphs()
  }()
}
