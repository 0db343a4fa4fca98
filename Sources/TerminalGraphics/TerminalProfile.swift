import ImagePipeline

/// What is known of a terminal that pictures are to be drawn on.
package struct TerminalProfile: Sendable, Equatable {
  /// Columns and rows of cells.
  package var columns: Int
  package var rows: Int
  /// The pixels of a cell; `nil` where the terminal does not say.
  package var cell: PixelSize?
  /// How pictures are put on it.
  package var method: GraphicsMethod
  /// How many colours its text has; with none, pictures are grey or black and white.
  package var depth: ColorDepth
  /// The colour behind the text; `nil` where the terminal does not say.
  package var background: PixelColor?

  /// A terminal of which everything is known.
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

  /// Puts together what the terminal, the kernel and the environment say.
  ///
  /// - Parameters:
  ///   - asked: The method that the user named; `nil` takes the best there is.
  ///   - replies: What the terminal answered; `nil` where it could not be asked.
  ///   - pixels: The size of the whole terminal, as `TIOCGWINSZ` has it; often zero.
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

  /// Whether `screen` or `tmux` stands between, so that variables tell of a terminal that is not spoken to.
  package static func isMultiplexed(_ environment: [String: String]) -> Bool {
    let term = environment["TERM"] ?? ""
    return term.hasPrefix("screen") || term.hasPrefix("tmux")
  }

  /// The method of a terminal that does not answer, by its name.
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
