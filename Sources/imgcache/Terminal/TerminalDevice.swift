import ImageModel
import TerminalGraphics

enum Environment {
  static var variables: [String: String] { ProcessInfo.processInfo.environment }
}

enum TerminalDevice {
  /// How long a terminal may take to reply; one that does not is recognized by its name.
  static let patience = Duration.milliseconds(500)

  static func isPossible(_ descriptor: Int32) -> Bool {
    Stream.isTerminal(descriptor) && Environment.variables["TERM"] != "dumb"
  }

  /// The width of a terminal; 80 if it does not report one.
  static func columns(of descriptor: Int32) -> Int { Int(window(of: descriptor).ws_col) }

  private static func window(of descriptor: Int32) -> winsize {
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    if !isKnown { size.ws_col = 80 }
    if !isKnown || size.ws_row == 0 { size.ws_row = 24 }
    return size
  }

  /// - Parameter asks: Whether the terminal itself is queried, which takes a moment.
  static func profile(
    of descriptor: Int32, asked: GraphicsMethod? = nil, asks: Bool, isColorless: Bool
  ) -> TerminalProfile {
    let (size, environment) = (window(of: descriptor), Environment.variables)
    return TerminalProfile(
      columns: Int(size.ws_col), rows: Int(size.ws_row),
      pixels: PixelSize(width: Int(size.ws_xpixel), height: Int(size.ws_ypixel)),
      replies: asks ? replies(descriptor, environment) : nil, environment: environment,
      asked: asked, isColorless: isColorless)
  }

  private static func replies(
    _ descriptor: Int32, _ environment: [String: String]
  ) -> TerminalReplies? {
    guard TerminalState.shared.isForeground else { return nil }
    let device = TerminalState.shared.claim(descriptor, readsKeys: true) { _ in }
    defer { TerminalState.shared.release() }
    guard device >= 0 else { return nil }
    let isScreen = environment["TERM"]?.hasPrefix("screen") ?? false
    Stream.write(TerminalReplies.questions(isMultiplexed: isScreen).span.bytes, to: device)
    var replies = TerminalReplies()
    let end = ContinuousClock.now + patience
    var room = [UInt8](repeating: 0, count: 256)
    while !replies.isComplete {
      let left = Int32(max(0, (end - .now).milliseconds))
      var waiting = pollfd(fd: device, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, left)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { break }
      let capacity = room.count
      let count = room.withUnsafeMutableBytes { read(device, $0.baseAddress, capacity) }
      guard count > 0 else { break }
      replies.read(room[..<count])
    }
    // A late reply must not end up on the next command line.
    if !replies.isComplete { tcflush(device, TCIFLUSH) }
    return replies
  }
}
