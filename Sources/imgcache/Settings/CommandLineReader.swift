import ArgumentParser
import ImageModel
import Synchronization

/// Reads the command line with its settings: at the start, and when a running server reloads.
struct CommandLineReader: Sendable {
  static let program = Mutex<CommandLineReader?>(nil)

  let read: @Sendable () throws -> (words: [String], command: any ParsableCommand)
  let message: @Sendable (any Error) -> String

  /// Takes the users and passwords out of URLs, but for that of a proxy.
  static func withoutPasswords(_ arguments: [String]) -> [String] {
    var option = ""
    return arguments.map { word in
      let name = word.hasPrefix("--") ? String(word.prefix { $0 != "=" }) : option
      option = word.hasPrefix("--") && !word.contains("=") ? word : ""
      guard name != "--proxy" else { return word }
      guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else {
        return NamedCredentials.all.extract(from: word)
      }
      return word[...sign]
        + NamedCredentials.all.extract(from: String(word[word.index(after: sign)...]))
    }
  }
}
