import ArgumentParser
import ImagePipeline
import TextEncodings

/// A failure that ends a command: `Main` prints it on stderr and, with `--json`, as an object on
/// stdout.
struct CommandFailure: Error {
  /// What failed.
  let error: ImageError
  /// What people read, where it is more than the error's message.
  let text: String
  /// What it concerns, as members of the object: `["url": …]`.
  let subject: [(name: String, value: String)]
  /// The object's `event`.
  let event: String
  /// How the program ends.
  let status: ExitCode

  /// - Parameters:
  ///   - doing: What could not be done, such as `cannot show a.jpg`; put before the message.
  ///   - status: Default: what ``ExitStatus/forError(_:)`` says.
  init(
    _ error: ImageError, doing: String? = nil, subject: [(name: String, value: String)] = [],
    event: String = "error", status: ExitCode? = nil
  ) {
    self.error = error
    text = (doing.map { "\($0): \(error.message)" } ?? error.message).namingOptions
    self.subject = subject
    self.event = event
    self.status = status ?? ExitStatus.forError(error)
  }

  /// `{"event":"error",…,"error":{"code","message"}}`; one about a thing has its `status`, too.
  var json: JSONLine {
    JSONLine(
      members: [("event", event)] + subject.map { ($0.name, $0.value) }
        + [("status", subject.isEmpty ? nil : "failed"), ("error", error.json)])
  }
}

extension ImageError {
  /// `{"code", "message"}`, with the status of the response where there was one.
  var json: JSONLine {
    ["code": code.rawValue, "message": message.namingOptions, "status": status]
  }
}

extension String {
  /// The settings that messages of the libraries name, and the options that set them.
  static let options = [
    ("DiskCache.Configuration.directory", "--cache-dir"),
    ("DiskCache.Configuration.maximumByteCount", "--max-size"),
    ("HTTPFetcher.Configuration.mayRedirect", "--allow-host"),
    ("HostGuard.allowsPrivateNetworks", "--allow-private-network"),
    ("TraceReader.read(format:)", "--trace-format"),
    ("TraceReader.read(sampleRate:)", "--sample"),
  ]

  /// The message with options in place of settings: a user of the program can change only those.
  var namingOptions: String {
    Self.options.reduce(self) { text, names in
      text.contains(names.0) ? text.replacing(names.0, with: names.1) : text
    }
  }
}
