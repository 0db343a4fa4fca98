import CacheSimulation

/// Results in columns: for each trace its facts, then a row for each combination.
enum SimulationTable {
  private static let noError = "too small"

  /// - Parameter columns: The maximum width of a line, as far as names allow.
  static func text(_ results: [SimulationResult], columns: Int = 80) -> String {
    SimulationResult.byTrace(results).map { those in
      facts(of: those[0].trace, columns: columns) + "\n" + table(those, columns: columns)
    }.joined(separator: "\n")
  }

  /// Returns the facts of a trace in a few lines.
  static func facts(of trace: CacheTrace, columns: Int = 80) -> String {
    let facts = trace.facts
    var lines = [
      """
      \(trace.name): \(facts.requestCount.counted("request")) of \
      \(facts.objectCount.counted("object")), \
      \(ByteQuantity(facts.requestedByteCount)) of \(ByteQuantity(facts.footprint))
      """,
      """
      compulsory misses \(percent(facts.compulsoryMissRatio)), \
      objects asked for once \(percent(facts.oneHitShare))
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
      } else if current.count + 2 + part.count < columns {
        current += ", " + part
      } else {
        lines.append(current + ",")
        current = "    " + part
      }
    }
    return (lines + [current]).joined(separator: "\n")
  }

  /// A column of the table. If there is not enough room, those with an expendability above 0 are
  /// left out, the lowest first.
  private struct Column {
    let head: String
    var expendability = 0
    let cells: [String]

    var width: Int { cells.reduce(head.count) { max($0, $1.count) } }
  }

  private static func table(_ results: [SimulationResult], columns width: Int) -> String {
    func column(
      _ head: String, _ expendability: Int = 0, _ cell: (SimulationResult) -> String
    ) -> Column {
      Column(head: head, expendability: expendability, cells: results.map(cell))
    }
    var columns = [
      column("policy", 0, \.policyName), column("capacity", 0, \.capacity.description),
      column("hits", 3) { "\($0.counts.hits)" },
      column("ratio") { percent($0.hitRatio) },
      column("bytes") { percent($0.byteHitRatio) },
      column("warm", 4) { $0.warmHitRatio.map(percent) ?? "-" },
      column("gap") { $0.gapClosed.map(percent) ?? "-" },
      column("evicted", 2) { $0.counts.evictions.map(String.init) ?? "-" },
      column("ns/req", 1) { SimulationRow.fixed($0.nanosecondsPerRequest, 0) },
    ]
    if results.contains(where: \.isSampled) {
      columns.insert(column("±") { $0.standardError.map(percent) ?? noError }, at: 4)
    }
    let left = leaveOut(&columns, width: width)
    var lines = [row(columns) { $0.head }]
    lines += results.indices.map { index in row(columns) { $0.cells[index] } }
    if !left.isEmpty { lines.append("(no room for \(left.enumerated); --format csv has them)") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Removes columns until a row fits, and returns their heads.
  private static func leaveOut(_ columns: inout [Column], width: Int) -> [String] {
    var left: [String] = []
    while columns.reduce(-2, { $0 + $1.width + 2 }) > width,
      let next = columns.filter({ $0.expendability > 0 }).min(by: {
        $0.expendability < $1.expendability
      })
    {
      columns.removeAll { $0.head == next.head }
      left.append(next.head)
    }
    return left
  }

  private static func row(_ columns: [Column], _ cell: (Column) -> String) -> String {
    columns.enumerated().map { index, column in
      let text = cell(column)
      let gap = String(repeating: " ", count: column.width - text.count)
      return index == 0 ? text + gap : gap + text
    }.joined(separator: "  ")
  }

  private static func percent(_ ratio: Double) -> String {
    SimulationRow.fixed(100 * ratio, 2) + "%"
  }
}
