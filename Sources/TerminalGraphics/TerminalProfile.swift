public import ImageCodecs
public import ImageModel

/// The properties of a terminal that images are drawn on.
public struct TerminalProfile: Sendable, Equatable {
  /// The number of columns of cells.
  public var columns: Int
  /// The number of rows of cells.
  public var rows: Int
  /// The size of a cell in pixels; `nil` when the terminal does not report it.
  public var cell: PixelSize?
  /// How images are shown.
  public var method: GraphicsMethod
  /// The number of text colors; with none, images are gray or black and white.
  public var depth: ColorDepth
  /// The background color; `nil` when the terminal does not report it.
  public var background: PixelColor?

  /// Creates a profile from known properties.
  public init(
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

  /// Creates a profile from what the terminal, if it was queried, the kernel and the environment
  /// report. The pixels of the whole terminal, from `TIOCGWINSZ`, are often zero.
  public init(
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

  /// Returns the method of a terminal that does not reply, by its name.
  private static func method(named environment: [String: String]) -> GraphicsMethod {
    let term = environment["TERM"] ?? ""
    let program = environment["TERM_PROGRAM"] ?? ""
    // Within a multiplexer, the variables may describe another terminal.
    if term.hasPrefix("screen") || term.hasPrefix("tmux") { return .blocks }
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
public enum GraphicsMethod: String, Sendable, CaseIterable {
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

/// The number of text colors of a terminal.
public enum ColorDepth: String, Sendable, CaseIterable {
  /// The default text color only: ink or no ink.
  case none
  /// The 256 of xterm.
  case indexed
  /// Eight bits of red, green and blue.
  case full

  /// Reads the depth from the environment's variables, of which a nonempty `NO_COLOR` has the same
  /// effect as `isColorless`.
  public init(environment: [String: String], isColorless: Bool = false) {
    let term = environment["TERM"] ?? ""
    let color = environment["COLORTERM"] ?? ""
    if isColorless || !(environment["NO_COLOR"] ?? "").isEmpty || term.isEmpty || term == "dumb"
      || term.hasPrefix("vt1") || term.hasPrefix("vt2") || term.hasSuffix("-m")
    {
      self = .none
    } else if color == "truecolor" || color == "24bit" || term.hasSuffix("-direct")
      || ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "wezterm"].contains(term)
    {
      self = .full
    } else {
      self = .indexed
    }
  }

  /// Returns the nearest of xterm's 256 colors that are the same everywhere: the cube from 16, the
  /// grays from 232.
  static func index(of color: PixelColor) -> UInt8 {
    let sample = [Int(color.red), Int(color.green), Int(color.blue)]
    let levels = sample.map { $0 < 48 ? 0 : $0 < 115 ? 1 : ($0 - 35) / 40 }
    let cube = levels.map { $0 == 0 ? 0 : 55 + 40 * $0 }
    let step = min(max((sample.reduce(0, +) / 3 - 3) / 10, 0), 23)
    let gray = Array(repeating: 8 + 10 * step, count: 3)
    return distance(sample, gray) < distance(sample, cube)
      ? UInt8(232 + step) : UInt8(16 + 36 * levels[0] + 6 * levels[1] + levels[2])
  }

  private static func distance(_ one: [Int], _ other: [Int]) -> Int {
    zip(one, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
  }
}
