import ArgumentParser
import ImageModel

/// The end of the program: prints the reason of a failure and exits with its status.
struct ProgramExit {
  /// Whether failures are objects on stdout as well: with `--json`.
  var isJSON: Bool
  /// The sources of values that are not on the command line, by option.
  var sources: [String: SettingSource] = [:]

  /// - Parameter arguments: The command line with the values of variables and files.
  init(arguments: [String]) {
    isJSON = arguments.prefix { $0 != "--" }.contains("--json")
  }

  func exit(_ error: any Error) -> Never {
    let status: ExitCode
    switch error {
    case let failure as CommandFailure: status = write(failure)
    case let error as ImageError: status = write(CommandFailure(error))
    case is CancellationError: status = Interruption.exitCode ?? ExitStatus.incomplete
    case let code as ExitCode: status = code
    default: status = writeParsing(error)
    }
    ImgCache.exit(withError: status)
  }

  private func write(_ failure: CommandFailure) -> ExitCode {
    let note = note(on: failure.text)
    if isJSON { Report().object(failure.json) }
    Report().error(failure.text + note)
    return failure.status
  }

  /// Writes the output of ArgumentParser: help to stdout, misuse to stderr with the usage.
  private func writeParsing(_ error: any Error) -> ExitCode {
    let status = ImgCache.exitCode(for: error)
    if status.isSuccess { ImgCache.exit(withError: error) }
    let message = ImgCache.message(for: error)
    let whole = ImgCache.fullMessage(for: error)
    let prefix = ImgCache._errorPrefix + message
    let note =
      (ValueSyntax.reason(for: message).map { ": " + $0 } ?? "") + self.note(on: message)
    if isJSON {
      Report().object(CommandFailure(ImageError(.invalidArgument, message + note)).json)
    }
    let usage = whole.hasPrefix(prefix) ? whole.dropFirst(prefix.count) : ""
    Report().error(message + note + usage)
    return status
  }

  /// The sources of the options that a message names and the command line does not have.
  private func note(on message: String) -> String {
    let list = sources.sorted { $0.key < $1.key }
      .filter { Self.names("--" + $0.key, in: message) }
      .map { name, source in
        let isForAll = if case .file(_, _, isForAll: true) = source { true } else { false }
        return "--\(name) is set by \(source)\(isForAll ? ", for all commands" : "")"
      }
    return list.isEmpty ? "" : " (\(list.joined(separator: "; ")))"
  }

  static func names(_ option: String, in text: String) -> Bool {
    text.ranges(of: option).contains { range in
      text[range.upperBound...].first.map { !($0.isLetter || $0.isNumber || $0 == "-") } ?? true
    }
  }
}
