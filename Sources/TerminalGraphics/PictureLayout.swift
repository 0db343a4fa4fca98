import ImagePipeline

/// How large a picture becomes on a terminal: numbers only.
package struct PictureLayout: Sendable, Hashable {
  /// What the picture is to be scaled to, whatever its shape. With half blocks, a cell has one by two.
  package let pixels: PixelSize
  /// The cells it then covers.
  package let columns: Int
  package let rows: Int

  /// The cell that is assumed where a terminal does not tell: twice as high as wide, as fonts mostly are.
  package static let usualCell = PixelSize(width: 10, height: 20)

  /// Works out the size; the shape is kept, and a small picture is not enlarged unless that is asked for.
  ///
  /// - Parameters:
  ///   - picture: Its size in pixels.
  ///   - columns: The most columns it may have, at least 1; likewise `rows`.
  ///   - profile: The terminal's cell and method.
  package init(
    _ picture: PixelSize, columns: Int, rows: Int, on profile: TerminalProfile,
    enlarges: Bool = false
  ) {
    let (columns, rows) = (max(1, columns), max(1, rows))
    let cell = profile.cell ?? Self.usualCell
    // The pixels that a cell is divided into.
    let grid = profile.method == .blocks ? PixelSize(width: 1, height: 2) : cell
    // How many rows of the grid are as high as a column of it is wide.
    let stretch =
      profile.method == .blocks ? 2 * Double(cell.width) / Double(cell.height) : 1
    let width = Double(max(1, picture.width))
    let height = Double(max(1, picture.height)) * stretch
    var scale = min(
      Double(columns * grid.width) / width, Double(rows * grid.height) / height)
    if !enlarges { scale = min(scale, 1, 1 / stretch) }
    pixels = PixelSize(
      width: min(max(1, Int((width * scale).rounded())), columns * grid.width),
      height: min(max(1, Int((height * scale).rounded())), rows * grid.height))
    self.columns = (pixels.width + grid.width - 1) / grid.width
    self.rows = (pixels.height + grid.height - 1) / grid.height
  }
}
