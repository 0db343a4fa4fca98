import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The line, or the few of them, at the bottom of a terminal that are drawn over and over; nothing where stderr is
/// no terminal.
final class StatusLine: Sendable {
  static let shared = StatusLine()

  private struct State {
    var text = ""
    /// Whether the text is to be seen now.
    var isDrawn = false
    /// Whether the terminal is somebody else's for a while.
    var isSuspended = false
  }

  private let state = Mutex(State())

  /// Whether stderr is a terminal that can be drawn on.
  static var isPossible: Bool { TerminalDevice.isPossible(STDERR_FILENO) }

  /// The width of that terminal in columns; 80 where it does not say.
  static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Draws the lines anew; an empty text removes them.
  ///
  /// - Parameter text: Lines, none wider than the terminal, with `\n` between them.
  func draw(_ text: String) {
    state.withLock { state in
      guard text != state.text || !state.isDrawn else { return }
      let erasing = Self.erasing(state)
      state.text = text
      guard !state.isSuspended else { return }
      Self.write(erasing + Self.drawing(&state))
    }
  }

  /// Runs `body` with the lines out of the way and puts them back.
  func whileHidden(_ body: () -> Void) {
    state.withLock { state in
      Self.write(Self.erasing(state))
      state.isDrawn = false
      body()
      if !state.isSuspended { Self.write(Self.drawing(&state)) }
    }
  }

  /// Takes the lines away until ``resume()``.
  func suspend() {
    state.withLock { state in
      Self.write(Self.erasing(state))
      state.isDrawn = false
      state.isSuspended = true
    }
  }

  /// Puts the lines back.
  func resume() {
    state.withLock { state in
      state.isSuspended = false
      if !state.isDrawn { Self.write(Self.drawing(&state)) }
    }
  }

  private static func erasing(_ state: State) -> String {
    guard state.isDrawn, !state.text.isEmpty else { return "" }
    let rows = state.text.count { $0 == "\n" }
    return rows == 0 ? "\r\u{1B}[K" : "\r\u{1B}[\(rows)A\u{1B}[J"
  }

  private static func drawing(_ state: inout State) -> String {
    state.isDrawn = !state.text.isEmpty
    return state.text.replacing("\n", with: "\r\n")
  }

  private static func write(_ text: String) {
    if !text.isEmpty { Report.write(text, to: STDERR_FILENO) }
  }
}
