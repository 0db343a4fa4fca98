import TerminalGraphics
import TextEncodings

/// A progress bar: images, bytes, rate and the time left.
///
/// A value without a clock: the caller passes the time elapsed.
struct ProgressBar {
  var total = 0
  /// Images done, including those that failed.
  var finished = 0
  var failed = 0
  var byteCount = 0

  /// The line after `elapsed`, at most `columns` wide.
  func line(after elapsed: Duration, columns: Int) -> String {
    let share = total == 0 ? 0 : min(1, Double(finished) / Double(total))
    let words = " " + self.words(after: elapsed)
    let room = columns - TextColumns.count(words) - 3
    guard room >= 8 else { return TextColumns.cut(words.dropFirst(), columns - 1) }
    let width = min(room, 30)
    let filled = Int((share * Double(width)).rounded(.down))
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: "-", count: width - filled) + "]" + words
  }

  func words(after elapsed: Duration) -> String {
    let seconds = max(elapsed / .seconds(1), 0.001)
    var words = "\(finished)/\(total.counted("image"))"
    if failed > 0 { words += ", \(failed) failed" }
    words += ", \(ByteQuantity(byteCount)), \(ByteQuantity(Int(Double(byteCount) / seconds)))/s"
    if finished > 0, finished < total {
      let left = Int((seconds / Double(finished) * Double(total - finished)).rounded(.up))
      words += ", \(Duration.seconds(left).readable) left"
    }
    return words
  }
}
