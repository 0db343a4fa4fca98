import ArgumentParser
import Synchronization

/// Reads the command line, with what variables and the configuration file set: at the start, and
/// again when a running server reloads.
struct CommandLineReader: Sendable {
  /// What was read.
  struct Reading {
    /// The command line with the settings that apply.
    let expansion: Settings.Expansion
    let command: any ParsableCommand
  }

  /// The program's; set at its start.
  static let program = Mutex<CommandLineReader?>(nil)

  /// - Throws: ``ImageError`` or an error of the parser.
  let read: @Sendable () throws -> Reading
  /// What an error of the parser says.
  let message: @Sendable (any Error) -> String
}
