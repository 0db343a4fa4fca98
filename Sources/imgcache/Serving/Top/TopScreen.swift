import TerminalGraphics
import TextEncodings
import ThumbnailServer

/// Lays out the status of a server as lines for a terminal.
struct TopScreen {
  /// The widths of the columns of names and of figures.
  private static let nameWidth = 13
  private static let figureWidth = 10

  var address: String
  /// The width of the terminal; lines are cut there.
  var columns: Int
  var isColorful = false
  /// Why the last reading failed; `nil` if it did not.
  var failure: String?

  /// The lines, none wider than ``columns``.
  func lines(_ status: ServerStatus) -> [String] {
    let (now, hour, load, past) = (status.now, status.hour, status.load, status.history)
    func percent(_ share: Double?) -> String { share.map(Measure.percent) ?? "-" }
    func time(_ seconds: Double?) -> String { seconds.map(Measure.seconds) ?? "-" }
    func errors(_ figures: ServerStatus.Figures) -> String {
      Measure.number(Double(figures.clientErrors) + Double(figures.serverErrors))
    }
    func sum(_ columns: [[Int]]) -> [Double?] {
      past.seconds.indices.map { index in
        columns.reduce(0) { $0 + (index < $1.count ? Double($1[index]) : 0) }
      }
    }
    let hits = sum([past.memoryHits, past.diskHits, past.sharedHits])
    let images = sum([
      past.memoryHits, past.diskHits, past.sharedHits, past.stale, past.misses, past.placeholders,
    ])
    let shares = zip(hits, images).map { hits, images -> Double? in
      guard let hits, let images, images > 0 else { return nil }
      return hits / images
    }
    let rates = zip(sum([past.requests]), past.seconds).map { count, seconds in
      seconds > 0 ? count.map { $0 / seconds } : nil
    }
    let evictions = (
      Double(now.memoryEvictions) + Double(now.diskEvictions),
      Double(hour.memoryEvictions) + Double(hour.diskEvictions)
    )
    var lines = [
      title(status),
      failure.map { emphasized(cut("no response: \($0)".escapingControls()), "31") } ?? "",
      emphasized(row("", "minute", "hour", "the last hour"), "2"),
      row(
        "requests/s", Measure.number(now.requestRate), Measure.number(hour.requestRate), line(rates)
      ),
      row("hit rate", percent(now.hitShare), percent(hour.hitShare), line(shares, top: 1)),
      row("latency p50", time(now.p50Seconds), time(hour.p50Seconds), line(past.p50Seconds)),
      row("latency p99", time(now.p99Seconds), time(hour.p99Seconds), line(past.p99Seconds)),
      row("errors", errors(now), errors(hour), line(sum([past.errors]))),
      row(
        "waiting", Measure.number(Double(load.decodesWaiting) + Double(load.fetchesWaiting)), "",
        line(sum([past.decodesWaiting, past.fetchesWaiting]))),
      row(
        "evictions", Measure.number(evictions.0), Measure.number(evictions.1),
        line(sum([past.memoryEvictions, past.diskEvictions]))),
      "",
      sources(hour),
      store("memory", status.memory),
      store("disk", status.disk),
    ]
    if let tier = status.shared {
      let total = Double(tier.hits) + Double(tier.misses)
      lines.append(
        cut(
          name("shared tier") + (tier.isSuspended ? "suspended after failures" : "in use")
            + ", hit rate \(percent(total > 0 ? Double(tier.hits) / total : nil))"
            + ", \(Measure.number(Double(tier.errors))) failures"))
    }
    lines.append(
      cut(
        name("in flight")
          + "requests \(load.inFlight), connections \(load.connections), "
          + "decodes \(load.decodesRunning), \(Measure.bytes(load.bytesInFlight))"))
    return lines
  }

  private func title(_ status: ServerStatus) -> String {
    let time = Duration.seconds(Int(min(max(status.uptimeSeconds, 0), 1e12)))
    return emphasized(cut("\(address.escapingControls())  up \(time.readable)"), "1")
  }

  private func sources(_ figures: ServerStatus.Figures) -> String {
    let parts = [
      ("memory", figures.memoryHits), ("disk", figures.diskHits), ("shared", figures.sharedHits),
      ("stale", figures.stale), ("misses", figures.misses), ("placeholders", figures.placeholders),
    ]
    let texts = parts.filter { $0.1 > 0 }.map { part in
      "\(part.0) \(figures.share(of: part.1).map(Measure.percent) ?? "-")"
    }
    return cut(name("images") + (texts.isEmpty ? "none yet" : texts.joined(separator: ", ")))
  }

  private func store(_ title: String, _ store: ServerStatus.Store) -> String {
    let share = store.limit > 0 ? min(max(Double(store.bytes) / Double(store.limit), 0), 1) : 0
    let width = columns < 50 ? 0 : columns < 80 ? 10 : 20
    let filled = Int((share * Double(width)).rounded())
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    return cut(
      name(title) + bar + (width > 0 ? " " : "")
        + "\(Measure.bytes(store.bytes)) of \(Measure.bytes(store.limit)), "
        + "\(Measure.grouped(store.entries)) entries")
  }

  // MARK: Columns

  /// The columns beside the figures; a terminal with fewer than 8 has no charts.
  private var chartWidth: Int { min(120, columns - Self.nameWidth - 2 * Self.figureWidth - 2) }

  private func row(_ title: String, _ now: String, _ hour: String, _ rest: String) -> String {
    cut(name(title) + right(now) + right(hour) + (chartWidth < 8 ? "" : "  " + rest))
  }

  private func name(_ text: String) -> String {
    text + String(repeating: " ", count: max(1, Self.nameWidth - text.count))
  }

  private func right(_ text: String) -> String {
    String(repeating: " ", count: max(1, Self.figureWidth - text.count)) + text
  }

  private func cut(_ text: String) -> String {
    TextColumns.cut(String(text.reversed().drop { $0 == " " }.reversed()), columns)
  }

  private func emphasized(_ text: String, _ code: String) -> String {
    isColorful && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// A series as blocks of eight heights, the newest at the right; the highest of the values that
  /// share a block counts.
  ///
  /// - Parameter top: The value of the full height. Default: the highest value.
  func line(_ values: [Double?], top: Double? = nil) -> String {
    let width = max(8, chartWidth)
    let blocks = Array("▁▂▃▄▅▆▇█")
    let highest = top ?? values.compactMap { $0 }.filter(\.isFinite).max() ?? 0
    let perBlock = max(1, 120 / Double(width))
    var cells = [Double?](repeating: nil, count: width)
    for (age, value) in values.reversed().enumerated() {
      let cell = width - 1 - Int(Double(age) / perBlock)
      guard cell >= 0, let value, value.isFinite else { continue }
      cells[cell] = max(cells[cell] ?? 0, value)
    }
    let text = cells.map { value -> Character in
      guard let value else { return " " }
      guard highest > 0, value > 0 else { return blocks[0] }
      return blocks[min(7, Int(min(value / highest, 1) * 7.999))]
    }
    return String(text)
  }
}
