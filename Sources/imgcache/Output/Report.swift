import Synchronization
import TextEncodings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where a command speaks: data on stdout, all else on stderr.
struct Report: Sendable {
  var json = false
  var quiet = false
  var verbose = false

  /// Writes one line of data and hands it to the reader at once.
  func line(_ text: String) {
    Self.write(text + "\n", to: STDOUT_FILENO)
  }

  /// Writes one JSON object.
  func object(_ object: JSONLine) {
    line(object.description)
  }

  /// A remark on stderr, left out by `--quiet`.
  func note(_ text: @autoclosure () -> String) {
    if !quiet { Self.complain(text()) }
  }

  /// A remark that only `--verbose` wants.
  func detail(_ text: @autoclosure () -> String) {
    if verbose { Self.complain(text()) }
  }

  /// An error, in one line.
  func error(_ text: String) {
    Self.complain("error: " + text)
  }

  private static func complain(_ text: String) {
    StatusLine.shared.whileHidden {
      write(text.namingOptions.escapingControls() + "\n", to: STDERR_FILENO)
    }
  }

  /// Whether the process is about to end because its output is closed.
  private static let isEnding = Atomic(false)

  /// Writes all of it; a closed pipe as stdout ends the process quietly, as `SIGPIPE` would have.
  static func write(_ text: String, to descriptor: Int32) {
    writeBytes(Array(text.utf8).span.bytes, to: descriptor)
  }

  /// The same for bytes.
  static func writeBytes(_ bytes: RawSpan, to descriptor: Int32) {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let written = UnsafeRawBufferPointer(rebasing: rest).withMemoryRebound(to: UInt8.self) {
          #if canImport(Glibc)
            Glibc.write(descriptor, $0.baseAddress, $0.count)
          #else
            Darwin.write(descriptor, $0.baseAddress, $0.count)
          #endif
        }
        if written > 0 {
          rest = rest.dropFirst(written)
        } else if written < 0, errno == EINTR || errno == EAGAIN {
          var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&waiting, 1, -1)
        } else if descriptor == STDOUT_FILENO {
          let reason = errno
          // What is written while the terminal is given back cannot be told either.
          if isEnding.exchange(true, ordering: .relaxed) { return }
          if reason == EPIPE { Interruption.endByBrokenPipe() }
          Interruption.leaveTerminal()
          _exit(2)
        } else {
          return
        }
      }
    }
  }
}

extension String {
  /// The text with control characters made visible, so that a title or a header from the network can neither
  /// break a line nor steer a terminal. Tabs and the ends of lines written by us stay.
  func escapingControls() -> String {
    guard unicodeScalars.contains(where: Self.isControl) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if Self.isControl(scalar) {
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    (scalar.value < 0x20 && scalar != "\t" && scalar != "\n")
      || (0x7F...0x9F).contains(scalar.value)
      || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }
}
