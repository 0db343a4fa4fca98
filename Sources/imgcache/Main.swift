import ArgumentParser
import CPlatform
import FoundationEssentials
import ImagePipeline

@main
enum Main {
  static func main() async {
    imgc_memory_expect_reuse()
    let arguments = Array(CommandLine.arguments.dropFirst())
    var ending = Ending(arguments: arguments)
    var command: any ParsableCommand
    do {
      let expansion = try expanded(arguments)
      ending = Ending(arguments: expansion.arguments)
      ending.sources = expansion.sources
      command = try ImgCache.parseAsRoot(expansion.arguments)
    } catch {
      ending.exit(error)
    }

    Interruption.endByDefault()
    Interruption.toldOfBrokenPipes()
    if let command = command as? any ThreadStarting,
      let shortage = AddressSpace.shortage(for: command)
    {
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
      leaveTerminal()
      ending.exit(error)
    }
  }

  /// Removes what was drawn and restores the terminal, whatever failed.
  private static func leaveTerminal() {
    StatusLine.shared.suspend()
    TerminalState.shared.release()
  }

  private static func expanded(_ arguments: [String]) throws -> Settings.Expansion {
    try checkName(of: arguments)
    let environment = ProcessInfo.processInfo.environment
    guard Settings.mayApply(to: arguments, environment: environment) else {
      return Settings.Expansion(arguments: arguments)
    }
    return try Settings(describedBy: ImgCache._dumpHelp())
      .expand(arguments, environment: environment)
  }

  /// Refuses a command that there is not; ArgumentParser would call it an unexpected argument.
  private static func checkName(of arguments: [String]) throws {
    let names = ImgCache.commandNames
    guard let first = arguments.first, !first.hasPrefix("-"), !names.contains(first) else { return }
    let hint = NearName.hint(first, among: names)
    throw ImageError(
      .invalidArgument,
      "Unknown command \"\(first)\"\(hint.isEmpty ? "; " : hint + " ")'imgcache --help' lists them")
  }
}
