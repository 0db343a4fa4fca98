import ArgumentParser
import CacheSimulation
import ImageCodecs
import ImageModel
import Typesetting

/// The file of a plot: its extension is the format.
struct PlotFile: Hashable {
  private enum Format: Hashable {
    case svg, pdf
    case image(ImageFormat)
  }

  private let path: String
  private let format: Format

  init(_ path: String) throws {
    self.path = path
    let name = path.split(separator: "/").last ?? ""
    switch name.lastIndex(of: ".").map({ name[$0...].lowercased() }) {
    case ".svg": format = .svg
    case ".pdf": format = .pdf
    case ".png": format = .image(.png)
    case ".jpg", ".jpeg": format = .image(.jpeg)
    case ".webp": format = .image(.webp)
    default: throw ValidationError("--plot draws .svg, .pdf, .png, .jpg or .webp, not '\(path)'")
    }
  }

  /// Checks that what draws the format is installed.
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
      var options = EncodingOptions()
      options.quality = 90
      let frame = AnimationFrame(pixels: try canvas.pixels(), delay: .zero)
      try OutputFile.write(
        try ImageCodecs.encode([frame], as: format, options: options).bytes, to: path)
      return canvas.missingGlyphs.hint
    }
  }
}
