import Synchronization

/// The terminal while something is drawn on it: no cursor, no echo of keys. Its state is restored
/// before the program ends or stops: after the drawing, an error, a signal or a closed pipe (see
/// ``Interruption``), and at SIGTSTP.
final class TerminalState: Sendable {
  static let shared = TerminalState()

  enum Event: Sendable {
    /// The program is about to be stopped: the drawing should be removed.
    case stopping
    /// The program continues in the foreground: the drawing has to be redrawn.
    case continued
    case resized
  }

  private struct Hold {
    var device: Int32
    var saved: termios
    var output: Int32
    var readsKeys: Bool
    var isApplied = false
    var observer: @Sendable (Event) -> Void
  }

  private let hold = Mutex<Hold?>(nil)

  /// Whether the program may draw: a job in the background does not.
  var isForeground: Bool {
    let device = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard device >= 0 else { return true }
    defer { close(device) }
    return tcgetpgrp(device) == getpgrp()
  }

  /// Holds the terminal until ``release()``; the observer is called on another thread. Where keys
  /// are read at once, the cursor stays visible.
  ///
  /// - Returns: The terminal, open for reading and writing; -1 if the process has none.
  @discardableResult
  func claim(
    _ output: Int32, readsKeys: Bool = false, _ observer: @escaping @Sendable (Event) -> Void
  ) -> Int32 {
    release()
    for number in [SIGTSTP, SIGCONT, SIGWINCH] {
      Signals.handle(number) { [self] in received(number) }
    }
    let device = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var saved = termios()
    if device >= 0 { tcgetattr(device, &saved) }
    hold.withLock { hold in
      hold = Hold(
        device: device, saved: saved, output: output, readsKeys: readsKeys, observer: observer)
      Self.apply(&hold)
    }
    return device
  }

  func release() {
    hold.withLock { hold in
      Self.restore(&hold)
      if let device = hold?.device, device >= 0 { close(device) }
      hold = nil
    }
  }

  private static func apply(_ hold: inout Hold?) {
    guard let held = hold, !held.isApplied else { return }
    // The kernel stops a job in the background that changes the terminal.
    if held.device >= 0 {
      guard tcgetpgrp(held.device) == getpgrp() else { return }
      var silent = held.saved
      silent.c_lflag &= ~tcflag_t(held.readsKeys ? ECHO | ICANON : ECHO)
      tcsetattr(held.device, TCSANOW, &silent)
    }
    if !held.readsKeys { Stream.write("\u{1B}[?25l", to: held.output) }
    hold?.isApplied = true
  }

  private static func restore(_ hold: inout Hold?) {
    guard let held = hold, held.isApplied else { return }
    if !held.readsKeys { Stream.write("\u{1B}[0m\u{1B}[?25h", to: held.output) }
    if held.device >= 0, tcgetpgrp(held.device) == getpgrp() {
      var saved = held.saved
      tcsetattr(held.device, TCSANOW, &saved)
    }
    hold?.isApplied = false
  }

  private func received(_ number: Int32) {
    switch number {
    case SIGTSTP:
      tell(.stopping)
      hold.withLock { Self.restore(&$0) }
      kill(getpid(), SIGSTOP)
    case SIGCONT:
      let isBack = hold.withLock { hold in
        Self.apply(&hold)
        return hold?.isApplied ?? false
      }
      if isBack { tell(.continued) }
    default: tell(.resized)
    }
  }

  private func tell(_ event: Event) {
    let observer = hold.withLock { $0?.observer }
    observer?(event)
  }
}
