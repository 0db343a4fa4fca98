import Foundation
import Testing

@testable import ImageModel
@testable import LoadScheduling
@testable import TestSupport

/// A pseudo-terminal whose other end is read by a thread and answers queries as configured.
final class PseudoTerminal: Sendable {
  /// The replies of a kind of terminal to ``TerminalReplies``.
  enum Kind: String, Sendable {
    case kitty = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62c"
    case sixel = "\u{1B}]11;rgb:0000/0000/0000\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;4c"
    case plain = "\u{1B}[?62;22c"
  }

  private struct State {
    var output: [UInt8] = []
    var isAtEnd = false
  }

  /// Occurrences of a text in output that grows.
  private struct Search {
    let pattern: [UInt8]
    var missing = 1
    /// The position of the next search.
    var from = 0

    mutating func advance(in output: [UInt8]) {
      output.withUnsafeBytes { raw in
        guard let base = raw.baseAddress else { return }
        while missing > 0, from + pattern.count <= raw.count {
          let isHere = memcmp(base + from, pattern, pattern.count) == 0
          if isHere { missing -= 1 }
          from += isHere ? pattern.count : 1
        }
      }
    }
  }

  /// The device name that a program opens.
  let path: String
  private let master: Int32
  private let slave: Locked<Int32?>
  private let state = Locked(State())
  private let thread = Locked<OSThread?>(nil)

  init(_ kind: Kind = .plain, columns: UInt16 = 80, rows: UInt16 = 24) throws {
    var (first, second) = (Int32(), Int32())
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    try #require(openpty(&first, &second, nil, nil, &size) == 0, "no pseudo-terminal")
    let (master, slave) = (first, second)
    self.master = master
    self.slave = Locked(slave)
    path = String(cString: ttyname(slave))
    // Both ends are not inherited by programs that other tests start.
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    _ = fcntl(slave, F_SETFD, FD_CLOEXEC)
    let reader = try OSThread(name: "terminal") { [state] in
      Self.read(master, state, answers: Array(kind.rawValue.utf8))
    }
    thread.withLock { $0 = reader }
  }

  /// Starts a program on the terminal, as a shell would.
  func start(_ tool: Tool, _ arguments: [String], in folder: String? = nil, output: String? = nil)
    throws
    -> ChildProcess
  {
    let inherited = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("IMGCACHE_")
        && !["XDG_CACHE_HOME", "NO_COLOR", "COLORTERM", "TERM_PROGRAM", "LANG", "LC_ALL"]
          .contains($0.key)
    }
    var environment = inherited.merging(["TERM": "xterm-256color", "COLORTERM": "truecolor"]) { $1 }
    environment.merge(tool.environment) { $1 }
    return try ChildProcess(
      tool.path, arguments, environment: environment, in: folder, input: path,
      output: output ?? path,
      errors: path, leadsSession: true)
  }

  /// Waits until a text has occurred this many times; `false` when the program ended before, or it
  /// took too long.
  @discardableResult
  func waits(for text: String, count: Int = 1) async -> Bool {
    let search = Locked(Search(pattern: Array(text.utf8), missing: count))
    await Condition.until(turns: Condition.turnsOfStart) { [state] in
      let (output, isAtEnd) = state.withLock { ($0.output, $0.isAtEnd) }
      return search.withLock { search in
        search.advance(in: output)
        return search.missing == 0 || isAtEnd
      }
    }
    return search.withLock { $0.missing == 0 }
  }

  /// The output so far.
  var output: [UInt8] { state.withLock { $0.output } }

  /// All output, once every program on the terminal has ended.
  func end() -> [UInt8] {
    // When the last replica end is closed, the reader gets the end of file.
    let slave = slave.withLock { slave in
      defer { slave = nil }
      return slave
    }
    if let slave { close(slave) }
    let reader = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    reader?.join()
    return output
  }

  /// The local modes of the terminal, which control keys.
  var modes: tcflag_t {
    var modes = termios()
    tcgetattr(master, &modes)
    return modes.c_lflag
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  deinit {
    _ = end()
    close(master)
  }

  private static func read(_ master: Int32, _ state: Locked<State>, answers: [UInt8]) {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var question = Search(pattern: Array("\u{1B}[c".utf8))
    while true {
      let count = Glibc.read(master, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      let piece = chunk[..<max(0, count)]
      let output = state.withLock { state in
        state.output += piece
        state.isAtEnd = piece.isEmpty
        return state.output
      }
      if piece.isEmpty { return }
      guard question.missing > 0 else { continue }
      question.advance(in: output)
      if question.missing == 0 { _ = write(master, answers, answers.count) }
    }
  }
}
