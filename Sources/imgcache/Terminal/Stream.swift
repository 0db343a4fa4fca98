import Synchronization

enum Stream {
  private static let isEnding = Atomic(false)

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  static func write(_ text: String, to descriptor: Int32) {
    write(Array(text.utf8).span.bytes, to: descriptor)
  }

  /// Writes all bytes. A failure to write to stdout ends the process: quietly for a closed pipe, as
  /// `SIGPIPE` would have, else with a message and status 2. Other failures are ignored.
  static func write(_ bytes: RawSpan, to descriptor: Int32) {
    guard !writeAll(bytes, to: descriptor), descriptor == STDOUT_FILENO else { return }
    let reason = errno
    // Restoring the terminal writes to stdout, too.
    if isEnding.exchange(true, ordering: .relaxed) { return }
    if reason == EPIPE { Interruption.endByBrokenPipe() }
    Interruption.leaveTerminal()
    let message = "error: cannot write to stdout: \(String(cString: strerror(reason)))\n"
    _ = writeAll(Array(message.utf8).span.bytes, to: STDERR_FILENO)
    _exit(2)
  }

  /// - Returns: `false` for a failure, with the reason in `errno`.
  static func writeAll(_ bytes: RawSpan, to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let written = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
        if written > 0 {
          rest = rest.dropFirst(written)
        } else if written < 0, errno == EINTR || errno == EAGAIN {
          var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&waiting, 1, -1)
        } else {
          return false
        }
      }
      return true
    }
  }
}

// Outside the type, whose own method of this name would hide it.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}
