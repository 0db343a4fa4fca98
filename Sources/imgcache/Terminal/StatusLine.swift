import Synchronization

/// The lines at the bottom of a terminal that are redrawn in place.
///
/// The cursor is left at their beginning, so that whatever a change of the window's size makes of them
/// is below it. Lines are drawn without wrapping: those of a width that has just changed are cut.
final class StatusLine: Sendable {
  static let shared = StatusLine()

  private struct State {
    var text = ""
    var isDrawn = false
    /// Whether the terminal is in use by something else.
    var isSuspended = false
    var drawnAt: ContinuousClock.Instant?
  }

  private let state = Mutex(State())

  static var columns: Int { TerminalDevice.columns(of: 2) }

  func draw(_ text: String) {
    state.withLock { state in
      guard text != state.text || !state.isDrawn else { return }
      let erasing = Self.erasing(state)
      state.text = text
      guard !state.isSuspended else { return }
      Self.write(erasing + Self.drawing(&state))
    }
  }

  /// Redraws the lines, unless that was done in the last tenth of a second.
  func draw(ifDue text: () -> String) {
    let isDue = state.withLock { state in
      let now = ContinuousClock.now
      if let last = state.drawnAt, now - last < .milliseconds(100) { return false }
      state.drawnAt = now
      return true
    }
    if isDue { draw(text()) }
  }

  func whileHidden(_ body: () -> Void) {
    state.withLock { state in
      Self.erase(&state)
      body()
      if !state.isSuspended { Self.write(Self.drawing(&state)) }
    }
  }

  /// Removes the lines until the next ``draw(_:)``: the window has another size.
  func erase() { state.withLock { Self.erase(&$0) } }

  /// Removes the lines until ``resume()``.
  func suspend() {
    state.withLock { state in
      Self.erase(&state)
      state.isSuspended = true
    }
  }

  func resume() {
    state.withLock { state in
      state.isSuspended = false
      if !state.isDrawn { Self.write(Self.drawing(&state)) }
    }
  }

  private static func erasing(_ state: State) -> String { state.isDrawn ? "\r\u{1B}[J" : "" }

  private static func erase(_ state: inout State) {
    write(erasing(state))
    state.isDrawn = false
  }

  private static func drawing(_ state: inout State) -> String {
    state.isDrawn = !state.text.isEmpty
    guard state.isDrawn else { return "" }
    let below = state.text.count { $0 == "\n" }
    return "\u{1B}[?7l" + state.text.replacing("\n", with: "\r\n") + "\r"
      + (below > 0 ? "\u{1B}[\(below)A" : "") + "\u{1B}[?7h"
  }

  private static func write(_ text: String) {
    if !text.isEmpty { Stream.write(text, to: 2) }
  }
}
