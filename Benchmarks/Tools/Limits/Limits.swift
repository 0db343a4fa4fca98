import Comparisons
import Foundation

/// Measures each comparison that has a limit, and ends with 1 when ours costs more than it may, three times in turn.
///
///     Limits [WORD...]     only comparisons whose area or name contains a word
@main
struct Limits {
  private static let roundCount = 7
  private static let tries = 3

  static func main() async throws {
    let words = CommandLine.arguments.dropFirst().map { $0.lowercased() }
    var failures: [String] = []
    print(
      "processor time of ours to that of what stands beside it: median, least, greatest; may be")
    for area in Area.allCases {
      for comparison in area.comparisons {
        let title = "\(area.rawValue): \(comparison.name)"
        guard let mayCost = comparison.mayCost,
          words.isEmpty || words.contains(where: { title.lowercased().contains($0) })
        else { continue }
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
      let ratios = try await ratios(comparison).sorted()
      let median = ratios[ratios.count / 2]
      let figures = [median, ratios[0], ratios[ratios.count - 1], mayCost]
        .map { String(format: "%7.2f", $0) }.joined(separator: " ")
      print(
        "\(figures)  \(title), beside \(comparison.limit)\(attempt > 1 ? ", try \(attempt)" : "")")
      if median <= mayCost { return true }
    }
    return false
  }

  private static func ratios(_ comparison: Comparison) async throws -> [Double] {
    var race = try await Race(comparison)
    var ratios: [Double] = []
    for _ in 0..<roundCount { if let ratio = try await race.round().ratio { ratios.append(ratio) } }
    await race.end()
    return ratios
  }
}
