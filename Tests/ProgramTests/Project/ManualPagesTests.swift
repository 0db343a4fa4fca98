import Foundation
import Testing

@testable import TestSupport

/// `scripts/man-pages`, which `make install` runs.
@Suite(.needsProgram) struct `Manual pages` {
  @Test func `every command has a page with each of its options`() async throws {
    let scratch = try Scratch()
    let script = SharedFixtures.packageRoot.appending(path: "scripts/man-pages").path
    let root = try await ProgramHelp.dump().command
    let commands = (root.subcommands ?? []).filter { $0.commandName != "help" }

    let outcome = try await Tool(path: "python3").run(
      [script, Tool.imgcache.path, scratch / "man"])

    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    #expect(commands.count > 20)
    for command in commands {
      let page = try String(
        contentsOfFile: scratch / "man/imgcache-\(command.commandName).1", encoding: .utf8)
      #expect(page.utf8.allSatisfy { $0 < 128 })
      for argument in command.arguments ?? [] where argument.shouldDisplay {
        guard let name = argument.names?.last?.name.replacing("-", with: "\\-") else { continue }
        #expect(page.contains(name), "\(command.commandName): \(name)")
      }
    }
    let main = try String(contentsOfFile: scratch / "man/imgcache.1", encoding: .utf8)
    #expect(commands.allSatisfy { main.contains("imgcache\\-\($0.commandName)\\fR(1)") })
  }
}
