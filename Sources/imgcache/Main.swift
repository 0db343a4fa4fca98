import ArgumentParser
import CPlatform
import FoundationEssentials
import ImagePipeline

@main
enum Main {
  static func main() async {
    imgc_memory_expect_reuse()
    let arguments = Array(CommandLine.arguments.dropFirst())
    var command: any ParsableCommand
    do {
      command = try ImgCache.parseAsRoot(expanded(arguments))
    } catch let error as ImageError {
      Report().error(error.message)
      ImgCache.exit(withError: ExitStatus.misuse)
    } catch {
      ImgCache.exit(withError: error)
    }

    Interruption.endByDefault()
    Interruption.toldOfBrokenPipes()
    if let command = command as? any ThreadStarting,
      let shortage = AddressSpace.shortage(for: command)
    {
      Report().error(shortage)
      ImgCache.exit(withError: ExitStatus.environment)
    }
    do {
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch let error as ImageError {
      leaveTerminal()
      Report().error(error.message)
      ImgCache.exit(withError: ExitStatus.forError(error))
    } catch is CancellationError {
      leaveTerminal()
      ImgCache.exit(withError: Interruption.exitCode ?? ExitStatus.incomplete)
    } catch {
      leaveTerminal()
      ImgCache.exit(withError: error)
    }
  }

  /// Whatever went wrong, and wherever: nothing of ours stays on the terminal.
  private static func leaveTerminal() {
    StatusLine.shared.suspend()
    TerminalState.shared.release()
  }

  private static func expanded(_ arguments: [String]) throws -> [String] {
    let environment = ProcessInfo.processInfo.environment
    guard Settings.mayApply(to: arguments, environment: environment) else { return arguments }
    return try Settings(describedBy: ImgCache._dumpHelp())
      .expand(arguments, environment: environment)
  }
}
