import ArgumentParser
import CacheSimulation
import ImageModel
import Typesetting

struct PlotFile: Hashable {
  private enum Format: Hashable {
    case svg, pdf
    case image(ImageFormat)
  }

  private let path: String
  private let format: Format

  init(_ path: String) throws {
    self.path = path
    switch path.splitAtExtension.suffix.lowercased() {
    case ".svg": format = .svg
    case ".pdf": format = .pdf
    case ".png": format = .image(.png)
    case ".jpg", ".jpeg": format = .image(.jpeg)
    case ".webp": format = .image(.webp)
    default: throw ValidationError("--plot draws .svg, .pdf, .png, .jpg or .webp, not '\(path)'")
    }
  }

  func prepare() throws(ImageError) {
    if format != .svg { try Canvas.prepare() }
  }

  /// Draws a chart, writes it, and returns what to install if the fonts lack characters of it.
  func write(_ chart: Chart) throws(ImageError) -> String? {
    switch format {
    case .svg:
      try OutputFile.write(Array(chart.svg().utf8), to: path)
      return nil
    case .pdf:
      let canvas = try chart.canvas(.pdf)
      try OutputFile.write(try canvas.pdf(), to: path)
      return canvas.missingGlyphs.hint
    case .image(let format):
      let canvas = try chart.canvas(.pixels)
      try OutputFile.write(try canvas.encoded(as: format, quality: 90), to: path)
      return canvas.missingGlyphs.hint
    }
  }
}
