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
    text = doing.map { "\($0): \(error.message)" } ?? error.message
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
