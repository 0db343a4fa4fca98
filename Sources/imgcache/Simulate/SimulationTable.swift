import CacheSimulation

/// Results in columns for people: for each trace its facts, then a row a combination.
enum SimulationTable {
  private static let noError = "too small"

  static func text(_ results: [SimulationResult]) -> String {
    SimulationResult.byTrace(results).map { those in
      facts(of: those[0].trace) + "\n" + table(those)
    }.joined(separator: "\n")
  }

  /// What is known of a trace, in three lines.
  static func facts(of trace: Trace) -> String {
    let facts = trace.facts
    let sizes = facts.sizePercentiles
      .map { "\($0.percent)% \(ByteQuantity($0.byteCount))" }.joined(separator: ", ")
    var lines = [
      """
      \(trace.name): \(facts.requestCount) requests of \(facts.objectCount) objects, \
      \(ByteQuantity(facts.requestedByteCount)) of \(ByteQuantity(facts.footprint))
      """,
      """
        compulsory misses \(percent(facts.compulsoryMissRatio)), \
      objects asked for once \(percent(facts.oneHitShare))
      """,
    ]
    if facts.hasSizes { lines.append("  sizes: " + sizes) }
    if trace.sampleRate < 1 {
      lines.append(
        """
          sampled at \(percent(trace.sampleRate)) of the keys: \(facts.requestCount) of \
        \(trace.fullRequestCount) requests; ± is one standard deviation, \
        '\(noError)' where the sample is too small to tell it
        """)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func table(_ results: [SimulationResult]) -> String {
    var head = [
      "policy", "capacity", "hits", "hit ratio", "byte hits", "warm", "gap closed", "evictions",
      "ns/request",
    ]
    let isSampled = results.contains(where: \.isSampled)
    if isSampled { head.insert("±", at: 4) }
    var rows = [head]
    for result in results {
      var row = [
        result.policyName, result.capacity.description, "\(result.counts.hits)",
        percent(result.hitRatio), percent(result.byteHitRatio),
        result.warmHitRatio.map(percent) ?? "-", result.gapClosed.map(percent) ?? "-",
        result.counts.evictions.map(String.init) ?? "-",
        SimulationRow.fixed(result.nanosecondsPerRequest, 0),
      ]
      if isSampled { row.insert(result.standardError.map(percent) ?? noError, at: 4) }
      rows.append(row)
    }
    let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.enumerated().map { column, text in
        let gap = String(repeating: " ", count: widths[column] - text.count)
        return column == 0 ? text + gap : gap + text
      }.joined(separator: "  ")
    }.joined(separator: "\n") + "\n"
  }

  private static func percent(_ ratio: Double) -> String {
    SimulationRow.fixed(100 * ratio, 2) + "%"
  }
}
