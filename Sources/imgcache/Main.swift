import ArgumentParser
import CPlatform
import ImageModel

@main
enum Main {
  static func main() async {
    imgc_memory_expect_reuse()
    let arguments = Array(CommandLine.arguments.dropFirst())
    let reader = CommandLineReader {
      let expansion = try expanded(arguments)
      return .init(
        expansion: expansion, command: try ImgCache.parseAsRoot(expansion.arguments))
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
      command = try ImgCache.parseAsRoot(expansion.arguments)
    } catch {
      ending.exit(unknownOption(in: arguments, insteadOf: error) ?? error)
    }

    Interruption.endByDefault()
    Interruption.ignoreBrokenPipes()
    if let shortage = AddressSpace.shortage(for: command) {
      ending.exit(
        CommandFailure(ImageError(.outOfMemory, shortage), status: ExitStatus.environment))
    }
    do {
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      StatusLine.shared.suspend()
      TerminalState.shared.release()
      ending.exit(error)
    }
  }

  private static func expanded(_ arguments: [String]) throws -> Settings.Expansion {
    try checkName(of: arguments)
    let environment = Environment.variables
    guard Settings.mayApply(to: arguments, environment: environment) else {
      return Settings.Expansion(arguments: arguments)
    }
    return try Settings(describedBy: ImgCache._dumpHelp())
      .expand(arguments, environment: environment)
  }

  /// Returns the error of an option that the command does not have.
  ///
  /// ArgumentParser takes the word after such an option for an argument, and reports that first.
  private static func unknownOption(
    in arguments: [String], insteadOf error: any Error
  ) -> ImageError? {
    guard ImgCache.exitCode(for: error) == .validationFailure, let command = arguments.first,
      let names = try? Settings(describedBy: ImgCache._dumpHelp()).longNames(of: command),
      let unknown = arguments.dropFirst().prefix(while: { $0 != "--" })
        .filter({ $0.hasPrefix("--") })
        .map({ String($0.dropFirst(2).prefix { $0 != "=" }) })
        .first(where: { !names.contains($0) })
    else { return nil }
    let near = NearName.of(unknown, among: names).map { "; did you mean \"--\($0)\"?" }
    return ImageError(
      .invalidArgument,
      "Unknown option \"--\(unknown)\"\(near ?? "; 'imgcache \(command) --help' lists them")")
  }

  /// Rejects an unknown command; ArgumentParser would call it an unexpected argument.
  private static func checkName(of arguments: [String]) throws {
    let names = ImgCache.commandNames
    guard let first = arguments.first, !first.hasPrefix("-"), !names.contains(first) else { return }
    let hint = NearName.hint(first, among: names)
    throw ImageError(
      .invalidArgument,
      "Unknown command \"\(first)\"\(hint.isEmpty ? "; " : hint + " ")'imgcache --help' lists them")
  }
}
