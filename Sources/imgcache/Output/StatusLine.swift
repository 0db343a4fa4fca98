import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The one line at the bottom of a terminal that is drawn over and over; nothing where stderr is no terminal.
final class StatusLine: Sendable {
  static let shared = StatusLine()

  private let text = Mutex("")

  /// Whether stderr is a terminal that can be drawn on.
  static var isPossible: Bool {
    isatty(STDERR_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
  }

  /// The width of that terminal in columns; 80 where it does not say.
  static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Draws the line anew; an empty one removes it.
  func draw(_ line: String) {
    text.withLock { current in
      guard line != current else { return }
      current = line
      Report.write("\r\u{1B}[K" + line, to: STDERR_FILENO)
    }
  }

  /// Runs `body` with the line out of the way and puts it back.
  func whileHidden(_ body: () -> Void) {
    text.withLock { current in
      if !current.isEmpty { Report.write("\r\u{1B}[K", to: STDERR_FILENO) }
      body()
      if !current.isEmpty { Report.write(current, to: STDERR_FILENO) }
    }
  }
}
