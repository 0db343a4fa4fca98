import DiskCaching
import ImageFeeds
import ImageModel
import TerminalGraphics

/// The lines of `ls --long`: columns of fixed width, so that lines are printed as entries are read.
/// A narrow terminal has the URL on a line of its own, a very narrow one fewer columns.
struct LongListing {
  /// A column with its width, negative for words, which are to its left.
  private struct Column {
    var name: String
    var width: Int
    var leastColumns = 0
  }

  private static let all = [
    Column(name: "SIZE", width: 8), Column(name: "PIXELS", width: 9, leastColumns: 19),
    Column(name: "TYPE", width: -5, leastColumns: 26),
    Column(name: "AGE", width: 6, leastColumns: 47),
    Column(name: "DAY", width: -11, leastColumns: 39),
  ]
  private static let leastColumnsOfOneLine = 79

  /// The width of the terminal, at which lines are cut; `nil` if they are not.
  var columns: Int?
  var isColored = false
  var now = Date()

  var header: String {
    let text = row(Self.all.map(\.name), "URL")
    guard isColored else { return text }
    return text.split(separator: "\n").map { "\u{1B}[1m\($0)\u{1B}[0m" }.joined(separator: "\n")
  }

  func line(_ record: CacheRecord, url: String, days: [String]) -> String {
    let others = days.count > 1 ? " +\(days.count - 1)" : ""
    let cells = [
      "\(ByteQuantity(record.byteCount))", record.size?.description ?? "-",
      record.format?.rawValue ?? "-", Self.age(now.timeIntervalSince(record.fetchedAt)),
      days.last.map { $0 + others } ?? "-",
    ]
    return row(cells, url.onOneLine())
  }

  private func row(_ cells: [String], _ url: String) -> String {
    var line = ""
    for (cell, column) in zip(cells, Self.all) where columns ?? .max >= column.leastColumns {
      let gap = String(repeating: " ", count: max(0, abs(column.width) - TextColumns.count(cell)))
      line += (column.width < 0 ? cell + gap : gap + cell) + "  "
    }
    guard let columns else { return line + url }
    guard columns < Self.leastColumnsOfOneLine else {
      let room = max(8, columns - TextColumns.count(line))
      return TextColumns.cut(line + TextColumns.cutInside(url, room), columns)
    }
    let facts = TextColumns.cut(String(line.reversed().drop { $0 == " " }.reversed()), columns)
    let margin = columns >= 20 ? "  " : ""
    return facts + "\n" + margin + TextColumns.cutInside(url, columns - margin.utf8.count)
  }

  /// The time in its largest unit: `59 s`, `3 h`, `400 d`.
  private static func age(_ interval: Double) -> String {
    let seconds = Int(min(max(interval, 0), 1e12))
    for (unit, length) in [("d", 86_400), ("h", 3_600), ("min", 60)] where seconds >= length {
      return "\(seconds / length) \(unit)"
    }
    return "\(seconds) s"
  }
}
