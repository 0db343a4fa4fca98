import ArgumentParser
import CPlatform
import ImageModel
import Synchronization

@main
enum Main {
  static func main() async {
    openClosedStreams()
    imgc_memory_expect_reuse()
    let arguments = words
    let reader = CommandLineReader {
      let words = try expanded(arguments).arguments
      return (words, try ImgCache.parseAsRoot(words))
    } message: {
      ImgCache.message(for: $0)
    }
    CommandLineReader.program.withLock { $0 = reader }
    var ending = ProgramExit(arguments: arguments)
    var command: any ParsableCommand
    do {
      let expansion = try expanded(arguments)
      ending = ProgramExit(arguments: expansion.arguments)
      ending.sources = expansion.sources
      for note in expansion.notes { Report(quiet: ending.isQuiet).note(note) }
      try checkWords(of: expansion.arguments)
      command = try ImgCache.parseAsRoot(expansion.arguments)
      try checkEncoding(of: expansion.arguments, for: command)
    } catch {
      ending.exit(unknownOption(in: arguments, insteadOf: error) ?? error)
    }

    Interruption.setDefaults()
    if let shortage = ProcessLimits.shortage(for: command) {
      ending.exit(
        CommandFailure(ImageError(.outOfMemory, shortage), status: ExitStatus.environment))
    }
    do {
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      ProgramExit.end(.success)
    } catch {
      StatusLine.shared.suspend()
      TerminalState.shared.release()
      ending.exit(error)
    }
  }

  /// Opens those of stdin, stdout and stderr that are closed, so that no other file gets their
  /// numbers. What is read or written there fails, as if they were closed.
  private static func openClosedStreams() {
    for number in Int32(0)...2 where fcntl(number, F_GETFD) < 0 {
      _ = open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  private static var words: [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { String(fileName: $0) }
    }
  }

  /// Rejects empty arguments and values: no file, URL or setting has an empty name. Rejects `~` where
  /// a shell does not expand it: behind a `=`, and in a file of settings.
  private static func checkWords(of arguments: [String]) throws(ImageError) {
    guard arguments.first != "---completion" else { return }
    for (index, word) in arguments.enumerated() {
      if word.isEmpty {
        let place = index > 0 ? " after \"\(arguments[index - 1])\"" : ""
        throw ImageError.misuse("Empty argument\(place)")
      }
      if word.hasPrefix("--"), word.firstIndex(of: "=") == word.indices.last {
        throw ImageError.misuse("Empty value after \"\(word)\"")
      }
      let value = word.drop { $0 != "=" }.dropFirst()
      if word.hasPrefix("--"), value == "~" || value.hasPrefix("~/") {
        throw ImageError.misuse(
          "Only a shell expands ~, and not in \"\(word)\"; give the whole path, or ./~")
      }
    }
  }

  /// Rejects an argument that is not UTF-8 where it is not the name of a file that is opened by its
  /// bytes: a folder of another name would be made.
  private static func checkEncoding(
    of arguments: [String], for command: any ParsableCommand
  ) throws(ImageError) {
    let names = (command as? any FileNaming)?.fileNames ?? []
    guard let word = arguments.first(where: { $0.isRawFileName && !names.contains($0) }) else {
      return
    }
    throw ImageError.misuse("The argument \"\(word)\" is not UTF-8")
  }

  private static func expanded(_ arguments: [String]) throws -> Settings.Expansion {
    try checkName(of: arguments)
    let environment = Environment.variables
    var expansion = Settings.Expansion(arguments: arguments)
    if Settings.mayApply(to: arguments, environment: environment) {
      expansion = try Settings(describedBy: ImgCache._dumpHelp())
        .expand(arguments, environment: environment)
    }
    expansion.arguments = CommandLineReader.withoutPasswords(expansion.arguments)
    return expansion
  }

  /// Returns the error of an option that the command does not have: ArgumentParser takes the word
  /// after it for an argument, and reports that first.
  private static func unknownOption(
    in arguments: [String], insteadOf error: any Error
  ) -> ImageError? {
    let path = ImgCache.path(of: arguments)
    guard ImgCache.exitCode(for: error) == .validationFailure, !path.isEmpty,
      let command = try? Settings.Command(describing: ImgCache.command(at: path))
    else { return nil }
    let names = (command.arguments ?? []).compactMap(\.longName) + ["version"]
    let unknown = arguments.dropFirst().prefix { $0 != "--" }
      .filter { $0.hasPrefix("--") }
      .map { String($0.dropFirst(2).prefix { $0 != "=" }) }
      .first { !names.contains($0) }
    guard let unknown else { return nil }
    let near = NearName.of(unknown, among: names).map { "; did you mean \"--\($0)\"?" } ?? ""
    return ImageError.misuse("Unknown option \"--\(unknown)\"\(near)")
  }

  /// Rejects an unknown command; ArgumentParser would call it an unexpected argument.
  private static func checkName(of arguments: [String]) throws {
    let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
    let path = ImgCache.path(of: words)
    let names = ImgCache.commandNames(at: path)
    guard !names.isEmpty, let word = words.dropFirst(path.count).first, !word.hasPrefix("-"),
      !names.contains(word)
    else { return }
    let meant = path.isEmpty ? otherNames[word.lowercased()] : nil
    let hint =
      meant.map { "; did you mean \"\($0)\"?" } ?? NearName.hint(word.lowercased(), among: names)
    throw ImageError.misuse("Unknown command \"\(word)\"\(hint)")
  }

  private static let otherNames = [
    "clear": "rm", "delete": "rm", "list": "ls", "remove": "rm", "version": "--version",
  ]
}
