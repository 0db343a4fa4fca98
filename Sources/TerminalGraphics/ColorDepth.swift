import ImagePipeline

/// The number of text colors of a terminal.
package enum ColorDepth: String, Sendable, CaseIterable {
  /// The default text color only: ink or no ink.
  case none
  /// The 256 of xterm.
  case indexed
  /// Eight bits of red, green and blue.
  case full

  /// Reads the depth from the environment's variables.
  ///
  /// - Parameter isColorless: Whether the user wants no colors; a nonempty `NO_COLOR` has the same
  ///   effect.
  package init(environment: [String: String], isColorless: Bool = false) {
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
  package static func index(of color: PixelColor) -> UInt8 {
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
