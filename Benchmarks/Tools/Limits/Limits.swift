import Comparisons
import Foundation

/// Measures each comparison that has a limit, and exits with 1 when ours costs more than it may,
/// three times in turn.
///
///     Limits [WORD...]     only comparisons whose area or name contains a word, and of these also
///                          those without a limit
@main
struct Limits {
  private static let roundCount = 7
  private static let tries = 3

  static func main() async throws {
    let words = CommandLine.arguments.dropFirst().map { $0.lowercased() }
    var failures: [String] = []
    print(
      "processor time of ours to that of its peer: median, least, greatest; limit; ours in ns")
    for area in Area.allCases {
      for comparison in area.comparisons {
        let title = "\(area.rawValue): \(comparison.name)"
        let isNamed = words.contains { title.lowercased().contains($0) }
        guard isNamed || words.isEmpty && comparison.mayCost != nil else { continue }
        let mayCost = comparison.mayCost ?? .infinity
        if try await !holds(comparison, title, mayCost: mayCost) { failures.append(title) }
      }
    }
    if failures.isEmpty { return }
    print("\nabove its limit \(tries) times in turn (mayCost in Benchmarks/Comparisons/Areas):")
    for failure in failures { print("  \(failure)") }
    exit(1)
  }

  private static func holds(
    _ comparison: Comparison, _ title: String, mayCost: Double
  ) async throws -> Bool {
    for attempt in 1...tries {
      let samples = try await samples(comparison)
      let ratios = samples.compactMap(\.ratio).sorted()
      if ratios.isEmpty { return true }
      let nanoseconds = samples.map(\.ours).sorted()[samples.count / 2]
      let median = ratios[ratios.count / 2]
      let figures =
        [median, ratios[0], ratios[ratios.count - 1], mayCost]
        .map { String(format: "%7.2f", $0) }.joined(separator: " ")
        + String(format: " %9.1f", nanoseconds)
      print(
        "\(figures)  \(title), beside \(comparison.limit)\(attempt > 1 ? ", try \(attempt)" : "")")
      if median <= mayCost { return true }
    }
    return false
  }

  private static func samples(_ comparison: Comparison) async throws -> [Sample] {
    var race = try await Race(comparison)
    var samples: [Sample] = []
    for _ in 0..<roundCount { samples.append(try await race.round()) }
    await race.end()
    return samples
  }
}
