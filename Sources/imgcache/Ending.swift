import ArgumentParser
import ImagePipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The end of the program: the one place that tells why a command failed, and with which status.
struct Ending {
  /// Whether failures are objects on stdout as well: `--json` was given.
  var isJSON: Bool
  /// Where the values came from that the command line does not show.
  var sources: [String: SettingSource] = [:]

  /// - Parameter arguments: The command line with what variables and files add.
  init(arguments: [String]) {
    isJSON = arguments.prefix { $0 != "--" }.contains("--json")
  }

  /// Ends the program by an error of any kind.
  func exit(_ error: any Error) -> Never {
    let status: ExitCode
    switch error {
    case let failure as CommandFailure: status = tell(failure)
    case let error as ImageError: status = tell(CommandFailure(error))
    case is CancellationError: status = Interruption.exitCode ?? ExitStatus.incomplete
    case let code as ExitCode: status = code
    default: status = tellParsing(error)
    }
    ImgCache.exit(withError: status)
  }

  private func tell(_ failure: CommandFailure) -> ExitCode {
    let note = note(on: failure.text)
    if isJSON { Report().object(failure.json) }
    Report().error(failure.text + note)
    return failure.status
  }

  /// What ArgumentParser says: help on stdout, misuse on stderr with the usage.
  private func tellParsing(_ error: any Error) -> ExitCode {
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
    if whole.hasPrefix(prefix) {
      Report().error(message + note + whole.dropFirst(prefix.count))
    } else {
      Report().error(message + note)
    }
    return status
  }

  /// Where the options came from that a message names and the command line does not have.
  private func note(on message: String) -> String {
    let named = sources.keys.sorted().filter { Self.names("--" + $0, in: message) }
    if named.isEmpty { return "" }
    let list = named.compactMap { name in
      sources[name].map { source in
        let isForAll = if case .file(_, _, isForAll: true) = source { true } else { false }
        return "--\(name) is set by \(source)\(isForAll ? ", for all commands" : "")"
      }
    }
    return " (\(list.joined(separator: "; ")))"
  }

  /// Whether a text has an option as a word of its own.
  static func names(_ option: String, in text: String) -> Bool {
    text.ranges(of: option).contains { range in
      text[range.upperBound...].first.map { !($0.isLetter || $0.isNumber || $0 == "-") } ?? true
    }
  }
}
