import ImagePipeline

/// The size of an image on a terminal.
package struct ImageLayout: Sendable, Hashable {
  /// The size to scale the image to. With half blocks, a cell has one by two pixels.
  package let pixels: PixelSize
  /// The cells it covers at that size.
  package let columns: Int
  package let rows: Int

  /// The size of a cell where the terminal does not report it: twice as high as wide, as in most
  /// fonts.
  package static let usualCell = PixelSize(width: 10, height: 20)

  /// Fits an image into columns and rows, keeping its shape; a small one is enlarged only on
  /// request.
  ///
  /// - Parameters:
  ///   - image: The size of the image in pixels.
  ///   - columns: The most columns it may cover, at least 1; likewise `rows`.
  ///   - profile: The terminal's cell and method.
  ///   - enlarges: Whether a small image is enlarged. Default: no.
  package init(
    _ image: PixelSize, columns: Int, rows: Int, on profile: TerminalProfile,
    enlarges: Bool = false
  ) {
    let (columns, rows) = (max(1, columns), max(1, rows))
    let cell = profile.cell ?? Self.usualCell
    // The pixels of a cell.
    let grid = profile.method == .blocks ? PixelSize(width: 1, height: 2) : cell
    // The rows of the grid that are together as high as a column is wide.
    let stretch =
      profile.method == .blocks ? 2 * Double(cell.width) / Double(cell.height) : 1
    let width = Double(max(1, image.width))
    let height = Double(max(1, image.height)) * stretch
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
