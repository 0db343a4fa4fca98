import ImagePipeline
import TerminalGraphics

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What the kernel and the terminal say of a terminal.
enum TerminalDevice {
  /// How long a terminal has for its answers; one that gives none is known by its name.
  static let patience = Duration.milliseconds(500)

  /// Whether a descriptor is a terminal that can be drawn on.
  static func isPossible(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
  }

  /// What is known of the terminal behind a descriptor.
  ///
  /// - Parameters:
  ///   - asked: The method that the user named; `nil` takes the best there is.
  ///   - asks: Whether the terminal itself may be asked, which takes a moment.
  static func profile(
    of descriptor: Int32, asked: GraphicsMethod? = nil, asks: Bool, isColorless: Bool
  ) -> TerminalProfile {
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let environment = ProcessInfo.processInfo.environment
    return TerminalProfile(
      columns: isKnown ? Int(size.ws_col) : 80,
      rows: isKnown && size.ws_row > 0 ? Int(size.ws_row) : 24,
      pixels: PixelSize(width: Int(size.ws_xpixel), height: Int(size.ws_ypixel)),
      replies: asks ? replies(descriptor, environment) : nil, environment: environment,
      asked: asked, isColorless: isColorless)
  }

  /// Asks the terminal, unless it is somebody else's now.
  private static func replies(
    _ descriptor: Int32, _ environment: [String: String]
  ) -> TerminalReplies? {
    guard TerminalState.shared.isForeground else { return nil }
    return TerminalState.shared.whileReadingKeys(output: descriptor) { device in
      guard device >= 0 else { return nil }
      let isScreen = environment["TERM"]?.hasPrefix("screen") ?? false
      Report.writeBytes(
        TerminalReplies.questions(isMultiplexed: isScreen).span.bytes, to: device)
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
        #if canImport(Glibc)
          let count = room.withUnsafeMutableBytes { Glibc.read(device, $0.baseAddress, capacity) }
        #else
          let count = room.withUnsafeMutableBytes { Darwin.read(device, $0.baseAddress, capacity) }
        #endif
        guard count > 0 else { break }
        replies.read(room[..<count])
      }
      // An answer that comes late must not end up on the next command line.
      if !replies.isComplete { tcflush(device, TCIFLUSH) }
      return replies
    }
  }
}
