import ArgumentParser
import ImageModel

extension ImageError.Code {
  static let interrupted = Self(rawValue: "interrupted")
}

/// The end of the program: prints the reason of a failure and exits with its status.
struct ProgramExit {
  let isJSON: Bool
  let isQuiet: Bool
  var sources: [String: SettingSource] = [:]
  private let path: [String]
  private var command: String { (["imgcache"] + path).joined(separator: " ") }

  init(arguments: [String]) {
    isJSON = Self.hasFlag("json", in: arguments)
    isQuiet = Self.hasFlag("quiet", in: arguments)
    path = ImgCache.path(of: arguments)
  }

  /// Whether a flag is among the arguments, by its name or in a group of flags: `-qj`. Without a
  /// regular expression, whose first use costs each start of the program half a millisecond.
  private static func hasFlag(_ name: String, in arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains { argument in
      let flags = argument.utf8.dropFirst()
      return argument == "--" + name
        || argument.utf8.first == UInt8(ascii: "-") && name.utf8.first.map(flags.contains) == true
          && flags.allSatisfy("qvh0j".utf8.contains)
    }
  }

  func exit(_ error: any Error) -> Never {
    let status: ExitCode
    switch error {
    case let failure as CommandFailure: status = write(failure)
    case let error as ImageError: status = write(CommandFailure(error))
    case is CancellationError:
      // An object alone: after Ctrl-C a message would be noise.
      if isJSON {
        Report().object(.error, CommandFailure(ImageError(.interrupted, "interrupted")).json)
      }
      status = Interruption.exitCode ?? ExitStatus.incomplete
    case let code as ExitCode: status = code
    default: status = writeParsing(error)
    }
    Self.end(status)
  }

  /// Ends the process with what is buffered written, and without the handlers of `exit`: OpenSSL's
  /// frees what threads in progress still use.
  static func end(_ status: ExitCode) -> Never {
    fflush(nil)
    _exit(status.rawValue)
  }

  private func write(_ failure: CommandFailure) -> ExitCode {
    let note = note(on: failure.text)
    if isJSON { Report().object(failure.event, failure.json) }
    Report().error(failure.text + note)
    if failure.status == ExitStatus.misuse { Report().hint("'\(command) -h' shows its options") }
    return failure.status
  }

  private func writeParsing(_ error: any Error) -> ExitCode {
    let status = ImgCache.exitCode(for: error)
    if status.isSuccess {
      let text = ImgCache.fullMessage(for: error)
      if ShortHelp.isAsked {
        Report().line(
          path.isEmpty
            ? ImgCache.Summary.helpMessage()
            : ImgCache.helpMessage(for: ImgCache.command(at: path)))
        Report().line("'\(command) --help' has all options and explains them.")
      } else {
        Report(json: isJSON && text == Version.description).result(
          .version, Version.json, text: text)
      }
      return .success
    }
    let message = ValueSyntax.explained(ImgCache.message(for: error))
    return write(CommandFailure(ImageError.misuse(message), status: status))
  }

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
