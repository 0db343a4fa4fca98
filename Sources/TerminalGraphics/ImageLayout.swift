public import ImageModel

/// The size of an image on a terminal.
public struct ImageLayout: Sendable, Hashable {
  /// The size to scale the image to. With half blocks, a cell has one by two pixels.
  public let pixels: PixelSize
  /// The columns of cells it covers at that size.
  public let columns: Int
  /// The rows of cells it covers at that size.
  public let rows: Int

  /// The size of a cell if the terminal does not report it: twice as high as wide, as in most
  /// fonts.
  static let usualCell = PixelSize(width: 10, height: 20)

  /// Fits an image into columns and rows, at least 1 of each, keeping its shape; a small one is
  /// enlarged only on request.
  public init(
    _ image: PixelSize, columns: Int, rows: Int, on profile: TerminalProfile,
    enlarges: Bool = false
  ) {
    let (columns, rows) = (max(1, columns), max(1, rows))
    let cell = profile.cell ?? Self.usualCell
    // The pixels of a cell.
    let grid = profile.method == .blocks ? PixelSize(width: 1, height: 2) : cell
    // The rows of the grid that are together as high as a column is wide.
    let stretch = profile.method == .blocks ? 2 * Double(cell.width) / Double(cell.height) : 1
    let width = Double(max(1, image.width))
    let height = Double(max(1, image.height)) * stretch
    var scale = min(Double(columns * grid.width) / width, Double(rows * grid.height) / height)
    if !enlarges { scale = min(scale, 1, 1 / stretch) }
    pixels = PixelSize(
      width: min(max(1, Int((width * scale).rounded())), columns * grid.width),
      height: min(max(1, Int((height * scale).rounded())), rows * grid.height))
    self.columns = (pixels.width + grid.width - 1) / grid.width
    self.rows = (pixels.height + grid.height - 1) / grid.height
  }
}

/// The rows of a terminal that one image covers, at the left, with the cursor at their beginning.
///
/// The position in which a protocol leaves the cursor does not matter: it is saved and restored,
/// and the rows are made beforehand, so that nothing scrolls in between.
public struct ScreenArea: Sendable, Hashable {
  /// The number of rows; fewer than the terminal has.
  public let rows: Int

  /// Creates an area of at least one row.
  public init(rows: Int) { self.rows = max(1, rows) }

  /// Makes the rows and moves to their beginning.
  public var opening: [UInt8] {
    Array((String(repeating: "\r\n", count: rows) + "\u{1B}[\(rows)A").utf8)
  }

  /// Draws on the rows, at once if the terminal supports it (mode 2026), and returns to their
  /// beginning.
  public func frame(_ image: [UInt8]) -> [UInt8] {
    Array("\u{1B}[?2026h\u{1B}7".utf8) + image + Array("\u{1B}8\u{1B}[?2026l".utf8)
  }

  /// Moves to the row below.
  public var closing: [UInt8] { Array("\u{1B}[\(rows)B\r".utf8) }

  /// Erases the rows and everything below; the cursor stays at their beginning.
  public static let erasing = Array("\r\u{1B}[J".utf8)
}
