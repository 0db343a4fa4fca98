import DiskCaching
import ImageFeeds
import ImageModel
import TerminalGraphics

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The lines of `ls --long`: columns of fixed width, so that lines are printed as entries are read.
struct LongListing {
  /// The width of the terminal, at which lines are cut; `nil` if they are not.
  var columns: Int?
  var isColored = false
  var now = Date()

  /// The names of the columns.
  var header: String {
    let text = row(["SIZE", "PIXELS", "TYPE", "AGE", "DAY"], "URL")
    return isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }

  /// Returns the line of an image.
  func line(_ record: CacheRecord, url: String, days: [String]) -> String {
    let others = days.count > 1 ? " +\(days.count - 1)" : ""
    let cells = [
      "\(ByteQuantity(record.byteCount))", record.size?.description ?? "-",
      record.format?.rawValue ?? "-", Self.age(now.timeIntervalSince(record.fetchedAt)),
      days.last.map { $0 + others } ?? "-",
    ]
    return row(cells, columns == nil ? url : url.escapingControls())
  }

  /// Numbers are to the right of their columns, words to the left.
  private func row(_ cells: [String], _ url: String) -> String {
    let widths = [8, 9, -5, 6, -11]
    var line = ""
    for (cell, width) in zip(cells, widths) {
      let gap = String(repeating: " ", count: max(0, abs(width) - TextColumns.count(cell)))
      line += (width < 0 ? cell + gap : gap + cell) + "  "
    }
    guard let columns else { return line + url }
    let room = max(8, columns - TextColumns.count(line))
    return TextColumns.cut(line + TextColumns.cutInside(url, room), columns)
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
