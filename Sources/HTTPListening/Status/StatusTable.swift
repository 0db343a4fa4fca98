import TextEncodings

/// Writes the last hour as a table in steps of ten minutes, the newest first.
struct StatusTable {
  var history: ServerStatus.History
  var language: PageLanguage

  private struct Row {
    var requests = 0
    var errors = 0
    var answers: [String: Int] = [:]
    var slowest: Double?
    var waiting = 0
    var evictions = 0
  }

  /// The `table` element, in one that scrolls where it is too wide.
  var html: String {
    let names: [StatusText] = [
      .time, .requests, .errors, .hitRate, .slowest, .waiting, .evictions,
    ]
    let head = names.map { "<th scope=\"col\">\(say($0.text(in: language)))</th>" }.joined()
    let body = rows.enumerated().map { index, row in
      let minutes = StatusText.minutes.text(in: language)
      let end = index == 0 ? StatusText.now.text(in: language) : "−\(index * 10) \(minutes)"
      let begin = "−\((index + 1) * 10)" + (index == 0 ? " \(minutes)" : "")
      let cells = [
        Measure.grouped(row.requests), Measure.grouped(row.errors),
        ServerStatus.Figures.hitShare(of: row.answers).map(Measure.percent) ?? "–",
        row.slowest.map(Measure.seconds) ?? "–", Measure.grouped(row.waiting),
        Measure.grouped(row.evictions),
      ]
      return "<tr><th scope=\"row\">\(say("\(begin) … \(end)"))</th>"
        + cells.map { "<td>\(say($0))</td>" }.joined() + "</tr>"
    }.joined()
    return """
      <div class="scroll" tabindex="0" role="region" aria-label="\(say(
        StatusText.table.text(in: language)))"><table><thead><tr>\(head)</tr></thead>\
      <tbody>\(body)</tbody></table></div>
      """
  }

  private var rows: [Row] {
    var rows = [Row](repeating: Row(), count: 1)
    var age = 0.0
    for index in history.seconds.indices.reversed() {
      let number = min(5, Int((age + history.seconds[index] / 2) / 600))
      while rows.count <= number { rows.append(Row()) }
      age += history.seconds[index]
      rows[number].requests += history.requests[index]
      rows[number].errors += history.errors[index]
      for (name, counts) in history.answers {
        rows[number].answers[name, default: 0] += counts[index]
      }
      if let slowest = history.p99Seconds[index] {
        rows[number].slowest = max(rows[number].slowest ?? 0, slowest)
      }
      rows[number].waiting = max(
        rows[number].waiting, history.waiting.values.reduce(0) { $0 + $1[index] })
      rows[number].evictions += history.memoryEvictions[index] + history.diskEvictions[index]
    }
    return rows
  }

  private func say(_ text: String) -> String { HTMLText.escaped(text) }
}
