import ImagePipeline

/// The properties of a terminal that images are drawn on.
package struct TerminalProfile: Sendable, Equatable {
  /// The columns and rows of cells.
  package var columns: Int
  package var rows: Int
  /// The size of a cell in pixels; `nil` when the terminal does not report it.
  package var cell: PixelSize?
  /// How images are shown.
  package var method: GraphicsMethod
  /// The number of text colors; with none, images are gray or black and white.
  package var depth: ColorDepth
  /// The background color; `nil` when the terminal does not report it.
  package var background: PixelColor?

  /// Creates a profile from known properties.
  package init(
    columns: Int, rows: Int, cell: PixelSize? = nil, method: GraphicsMethod = .blocks,
    depth: ColorDepth = .full, background: PixelColor? = nil
  ) {
    self.columns = columns
    self.rows = rows
    self.cell = cell
    self.method = method
    self.depth = depth
    self.background = background
  }

  /// Creates a profile from what the terminal, the kernel and the environment report.
  ///
  /// - Parameters:
  ///   - asked: The method that the user chose; `nil` for the best available.
  ///   - replies: The terminal's replies; `nil` when it was not queried.
  ///   - pixels: The size of the whole terminal from `TIOCGWINSZ`; often zero.
  package init(
    columns: Int, rows: Int, pixels: PixelSize, replies: TerminalReplies?,
    environment: [String: String], asked: GraphicsMethod? = nil, isColorless: Bool = false
  ) {
    let answered = replies?.isComplete == true ? replies : nil
    let counted = PixelSize(
      width: pixels.width / max(1, columns), height: pixels.height / max(1, rows))
    let fromAnswers: GraphicsMethod? = answered.map {
      $0.knowsKitty ? .kitty : $0.knowsSixel ? .sixel : .blocks
    }
    self.init(
      columns: max(1, columns), rows: max(1, rows),
      cell: replies?.cell ?? (counted.width > 1 && counted.height > 1 ? counted : nil),
      method: asked ?? fromAnswers ?? Self.method(named: environment),
      depth: ColorDepth(environment: environment, isColorless: isColorless),
      background: replies?.background)
  }

  /// Whether `screen` or `tmux` is in between, so that variables describe a terminal that is not
  /// the one written to.
  package static func isMultiplexed(_ environment: [String: String]) -> Bool {
    let term = environment["TERM"] ?? ""
    return term.hasPrefix("screen") || term.hasPrefix("tmux")
  }

  /// Returns the method of a terminal that does not reply, by its name.
  private static func method(named environment: [String: String]) -> GraphicsMethod {
    if isMultiplexed(environment) { return .blocks }
    let term = environment["TERM"] ?? ""
    let program = environment["TERM_PROGRAM"] ?? ""
    if ["xterm-kitty", "xterm-ghostty"].contains(term) || program == "ghostty"
      || environment["KITTY_WINDOW_ID"] != nil
    {
      return .kitty
    }
    let knowsSixel =
      program == "WezTerm" || term.contains("sixel")
      || ["foot", "mlterm", "contour", "yaft"].contains { term.hasPrefix($0) }
    return knowsSixel ? .sixel : .blocks
  }
}

/// A way to show an image on a terminal.
package enum GraphicsMethod: String, Sendable, CaseIterable {
  /// The kitty graphics protocol: PNG in escape sequences, every pixel and alpha.
  ///
  /// Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/
  case kitty
  /// DEC's sixels: a palette and strips of six rows.
  ///
  /// Source: VT330/VT340 Programmer Reference Manual, volume 2, chapter 14.
  case sixel
  /// The half block `▀`: two pixels a cell, in text colors. Works on every terminal.
  case blocks
}
