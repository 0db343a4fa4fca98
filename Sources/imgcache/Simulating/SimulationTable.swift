import CacheSimulation
import TerminalGraphics

enum SimulationTable {
  private static let noError = "too small"

  static func text(_ results: [SimulationResult], columns: Int = 80) -> String {
    SimulationResult.byTrace(results).map { those in
      facts(of: those[0].trace, columns: columns) + "\n" + table(those, columns: columns)
    }.joined(separator: "\n")
  }

  static func facts(of trace: CacheTrace, columns: Int = 80) -> String {
    let facts = trace.facts
    var lines = [
      """
      \(trace.name): \(facts.requestCount.counted("request")) \
      (\(ByteQuantity(facts.requestedByteCount))) for \(facts.objectCount.counted("object")) \
      (\(ByteQuantity(facts.footprint)))
      """,
      """
      compulsory misses \(percent(facts.compulsoryMissRatio)), \
      objects requested once \(percent(facts.oneHitShare))
      """,
    ]
    if facts.hasSizes {
      let sizes = facts.sizePercentiles.map { "\($0.percent)% \(ByteQuantity($0.byteCount))" }
      lines.append("sizes: " + sizes.joined(separator: ", "))
    }
    if trace.sampleRate < 1 {
      lines.append(
        """
        sampled at \(percent(trace.sampleRate)) of the keys: \(facts.requestCount) of \
        \(trace.fullRequestCount.counted("request")), ± is one standard deviation, \
        '\(noError)' where the sample is too small to tell it
        """)
    }
    return lines.enumerated().map { index, line in
      wrapped(line, columns: columns, indent: index == 0 ? 0 : 2)
    }.joined(separator: "\n") + "\n"
  }

  /// Breaks a line at its commas; lines after the first break are indented by four.
  static func wrapped(_ line: String, columns: Int, indent: Int) -> String {
    var lines: [String] = []
    var current = String(repeating: " ", count: indent)
    for (index, part) in line.split(separator: ", ").enumerated() {
      if index == 0 {
        current += part
      } else if TextColumns.count(current) + 2 + TextColumns.count(part) < columns {
        current += ", " + part
      } else {
        lines.append(current + ",")
        current = "    " + part
      }
    }
    return (lines + [current]).joined(separator: "\n")
  }

  private static func table(_ results: [SimulationResult], columns width: Int) -> String {
    func column(
      _ head: String, _ expendability: Int = 0, _ cell: (SimulationResult) -> String
    ) -> TableColumns.Column {
      TableColumns.Column(head: head, expendability: expendability, cells: results.map(cell))
    }
    func ratio(_ value: Double?) -> String { value.map { percent($0, digits: 1) } ?? "-" }
    var columns = [
      column("policy", 0, \.policyName), column("capacity", 0, \.capacity.description),
    ]
    if results.contains(where: { $0.fleet != nil }) {
      columns += [
        column("servers") { "\($0.fleet?.serverCount ?? 1)" },
        column("hashing") { $0.fleet?.choice.rawValue ?? "-" },
        column("tier") { tierName($0.fleet?.tier) },
        column("local") { ratio($0.hitRatio) },
        column("shared") { ratio($0.tierHitRatio) },
        column("origin") { ratio($0.originShare) },
        column("bytes", 2) { ratio($0.originByteShare) },
        column("busiest", 1) { ratio($0.busiestShare) },
      ]
    } else {
      columns += [
        column("hits", 3) { "\($0.counts.hits)" },
        column("ratio") { percent($0.hitRatio) },
        column("bytes") { percent($0.byteHitRatio) },
        column("warm", 4) { $0.warmHitRatio.map { percent($0) } ?? "-" },
        column("gap") { $0.gapClosed.map { percent($0) } ?? "-" },
        column("evicted", 2) { $0.counts.evictions.map(String.init) ?? "-" },
        column("ns/req", 1) { SimulationRow.fixed($0.nanosecondsPerRequest, 0) },
      ]
      if results.contains(where: \.isSampled) {
        columns.insert(column("±") { $0.standardError.map { percent($0) } ?? noError }, at: 4)
      }
    }
    return TableColumns(columns: columns).text(width: width)
  }

  private static func tierName(_ tier: Fleet.Tier?) -> String {
    guard let tier else { return "-" }
    let capacity = tier.capacity.description
    return tier.policy == Fleet.Tier.defaultPolicy ? capacity : "\(capacity),\(tier.policyName)"
  }

  private static func percent(_ ratio: Double, digits: Int = 2) -> String {
    SimulationRow.fixed(100 * ratio, digits) + "%"
  }
}
