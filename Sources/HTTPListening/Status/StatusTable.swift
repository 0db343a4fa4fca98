import TextEncodings

/// Writes the last hour as a table in steps of ten minutes, the newest first.
struct StatusTable {
  var history: ServerStatus.History
  var language: PageLanguage

  /// The `table` element, in one that scrolls where it is too wide.
  var html: String {
    let names: [StatusText] = [
      .time, .requests, .errors, .hitRate, .slowest, .waiting, .evictions,
    ]
    let head = names.map { "<th scope=\"col\">\(say($0.text(in: language)))</th>" }.joined()
    let body = rows.enumerated().map { index, points in
      let minutes = StatusText.minutes.text(in: language)
      let end = index == 0 ? StatusText.now.text(in: language) : "−\(index * 10) \(minutes)"
      let begin = "−\((index + 1) * 10)" + (index == 0 ? " \(minutes)" : "")
      func sum(_ column: [Int]) -> Int { points.reduce(0) { $0 + column[$1] } }
      let waiting = points.map { point in history.waiting.values.reduce(0) { $0 + $1[point] } }
      let cells = [
        Measure.grouped(sum(history.requests)), Measure.grouped(sum(history.errors)),
        ServerStatus.Figures.hitShare(of: history.answers.mapValues(sum)).map(Measure.percent)
          ?? "–", points.compactMap { history.p99Seconds[$0] }.max().map(Measure.seconds) ?? "–",
        Measure.grouped(waiting.max() ?? 0),
        Measure.grouped(sum(history.memoryEvictions) + sum(history.diskEvictions)),
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

  private var rows: [[Int]] {
    var rows: [[Int]] = [[]]
    var age = 0.0
    for point in history.seconds.indices.reversed() {
      let number = min(5, Int((age + history.seconds[point] / 2) / 600))
      while rows.count <= number { rows.append([]) }
      age += history.seconds[point]
      rows[number].append(point)
    }
    return rows
  }

  private func say(_ text: String) -> String { HTMLText.escaped(text) }
}
