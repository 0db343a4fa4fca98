import ArgumentParser
import DiskCaching
import Dispatch
import ImageFeeds
import ImageModel

extension CompletionKind {
  static var days: CompletionKind {
    .custom { words, _, prefix in KeptDays.candidates(for: prefix, among: KeptDays.days(for: words))
    }
  }

  static func lists(of names: [String]) -> CompletionKind {
    .custom { _, _, prefix in candidates(for: prefix, among: names) }
  }

  static func candidates(for prefix: String, among names: [String]) -> [String] {
    let given = prefix.split(separator: ",", omittingEmptySubsequences: false).dropLast()
    let start = given.map { $0 + "," }.joined()
    return names.filter { !given.contains($0[...]) }.map { start + $0 }
      .filter { $0.hasPrefix(prefix) }
  }
}

/// The completions of a day.
///
/// The cache is only read: one that does not exist is not created, and one that is damaged, locked
/// or slow has no days.
enum KeptDays {
  private static let patience = DispatchTimeInterval.milliseconds(500)

  /// - Parameter days: Newest first.
  static func candidates(for prefix: String, among days: [String]) -> [String] {
    guard let dots = prefix.firstRange(of: "...") else {
      return (ValueSyntax.relativeDays + days).filter { $0.hasPrefix(prefix) }
    }
    let first = prefix[..<dots.lowerBound]
    return days.filter { $0 >= first }.map { first + "..." + $0 }.filter { $0.hasPrefix(prefix) }
  }

  private static func directory(of command: [String]) -> String {
    let environment = Environment.variables
    var words = command
    if Settings.mayApply(to: words, environment: environment),
      let settings = try? Settings(describedBy: ImgCache._dumpHelp()),
      let expansion = try? settings.expand(words, environment: environment)
    {
      words = expansion.arguments
    }
    var options = CommonOptions()
    options.cacheDir = Settings.values(of: "cache-dir", in: words).first
      .map { unquoted($0, environment) }
    return options.cacheDirectory
  }

  /// A word without what the shell would remove: quotes around it, `~` for the home directory.
  private static func unquoted(_ word: String, _ environment: [String: String]) -> String {
    for quote in ["'", "\""] where word.count > 1 && word.hasPrefix(quote) && word.hasSuffix(quote)
    {
      return String(word.dropFirst().dropLast())
    }
    guard word.hasPrefix("~/"), let home = environment["HOME"] else { return word }
    return home + word.dropFirst()
  }

  /// - Parameter command: The words of the command line, as the shell has them.
  static func days(for command: [String]) -> [String] {
    let directory = directory(of: Array(command.dropFirst()))
    // The parser calls this without await. It is on the main thread, which no task needs.
    return awaited(within: patience) {
      var configuration = DiskCache.Configuration(directory: directory)
      configuration.access = .existing
      configuration.log = { _ in }
      guard let cache = try? DiskCache(configuration) else { return [] }
      return await DayRecords(in: cache).imageDays.map(\.description)
    } ?? []
  }
}
