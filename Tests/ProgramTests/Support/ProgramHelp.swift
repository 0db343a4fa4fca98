import Foundation
@testable import TestSupport

/// The commands and options of `imgcache`, as its parser describes them.
struct ProgramHelp: Decodable {
  struct Command: Decodable {
    let commandName: String
    let subcommands: [Command]?
    let arguments: [Argument]?

    /// Every spelling of its options, with their hyphens.
    var options: Set<String> {
      Set(
        (arguments ?? []).flatMap { $0.names ?? [] }
          .map { ($0.kind == "short" ? "-" : "--") + $0.name })
    }
  }
  struct Argument: Decodable {
    struct Name: Decodable {
      let kind: String
      let name: String
    }
    let names: [Name]?
    let shouldDisplay: Bool
  }
  let command: Command

  static func dump() async throws -> ProgramHelp {
    let dump = try await Tool.imgcache.run(["--experimental-dump-help"])
    return try JSONDecoder().decode(ProgramHelp.self, from: Data(dump.output.utf8))
  }
}
