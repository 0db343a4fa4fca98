import ArgumentParser
import HTTPListening
import ImageModel
import TextEncodings
import ThumbnailServer
import Typesetting

struct CommandFailure: Error {
  let error: ImageError
  /// The message for stderr, if it is more than the error's.
  let text: String
  /// What failed, as members of the object: `["url": …]`.
  let subject: [(name: String, value: String)]
  let event: OutputEvent
  let status: ExitCode

  init(
    _ error: ImageError, doing: String? = nil, subject: [(name: String, value: String)] = [],
    event: OutputEvent = .error, status: ExitCode? = nil
  ) {
    self.error = error
    text = (doing.map { "\($0): \(error.message)" } ?? error.message).namingOptions
    self.subject = subject
    self.event = event
    self.status = status ?? ExitStatus.forError(error)
  }

  /// The members besides the event: `{…,"status":"failed","error":{"code","message"}}`.
  var json: JSONLine {
    JSONLine(
      members: subject.map { ($0.name, $0.value) }
        + [("status", "failed"), ("error", error.json)])
  }
}

extension ImageError {
  /// What failed, such as `cannot show a.jpg`; `nil` if the message names the source itself.
  func doing(_ what: String, _ source: String) -> String? {
    let isNamed = message.hasPrefix("\(source):") || message.contains(" \(source):")
    return isNamed ? nil : "\(what) \(source)"
  }
}

enum ExitStatus {
  /// Some image, day or check failed or is unavailable.
  static let incomplete = ExitCode(1)
  /// The environment failed: cache unusable, disk full, port taken.
  static let environment = ExitCode(2)
  static let misuse = ExitCode(64)

  static func forError(_ error: ImageError) -> ExitCode {
    switch error.code {
    case .cannotListen: environment
    case .invalidArgument: misuse
    case let code: code.isOfEnvironment ? environment : incomplete
    }
  }
}
