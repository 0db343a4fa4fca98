import ImagePipeline

/// The words of a progress bar: images, bytes, rate and the time left.
///
/// A value without a clock: the caller says how long it has been.
struct ProgressBar {
  /// Images to do in all.
  var total = 0
  /// Images done, whatever became of them.
  var finished = 0
  /// Those among them that failed.
  var failed = 0
  /// Bytes received.
  var byteCount = 0

  /// The line after `elapsed`, at most `columns` wide.
  func line(after elapsed: Duration, columns: Int) -> String {
    let share = total == 0 ? 0 : min(1, Double(finished) / Double(total))
    let words = " " + self.words(after: elapsed)
    let room = columns - words.count - 3
    guard room >= 8 else { return String(words.dropFirst().prefix(max(0, columns - 1))) }
    let width = min(room, 30)
    let filled = Int((share * Double(width)).rounded(.down))
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: "-", count: width - filled) + "]" + words
  }

  /// The words of the line.
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
