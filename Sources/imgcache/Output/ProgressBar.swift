import TerminalGraphics
import TextEncodings

/// A progress bar: images, bytes, rate and the time left.
struct ProgressBar {
  var total = 0
  var finished = 0
  var failed = 0
  /// Images in part: the sum of the shares that have arrived of those in flight.
  var arrived = 0.0
  var byteCount = 0
  /// Bytes per second now; `nil` for those of the whole time.
  var byteRate: Double?

  func line(after elapsed: Duration, columns: Int) -> String {
    Self.line(
      share: share, words: words(after: elapsed).joined(separator: ", "), columns: columns)
  }

  var share: Double { total == 0 ? 0 : min(1, (Double(finished) + arrived) / Double(total)) }

  func words(after elapsed: Duration) -> [String] {
    let seconds = max(elapsed / .seconds(1), 0.001)
    var done = "\(finished)/\(total.counted("image"))"
    if failed > 0 { done += ", \(failed) failed" }
    done += ", \(ByteQuantity(byteCount))"
    let rate = byteRate ?? Double(byteCount) / seconds
    var speed = "\(ByteQuantity(Int(rate)))/s"
    if finished > 0, finished < total {
      let left = (seconds * (1 / share - 1)).rounded(.up)
      speed += ", \(Duration.seconds(left).readable) left"
    }
    return [done, speed]
  }

  /// A bar, if the share is known and there is room, and words at its right; at most `columns`
  /// wide.
  static func line(share: Double?, words: String, columns: Int) -> String {
    let room = columns - TextColumns.count(words) - 4
    guard let share, room >= 8 else { return TextColumns.cut(words, columns - 1) }
    let width = min(room, 30)
    let filled = Int((min(max(share, 0), 1) * Double(width)).rounded(.down))
    return "[" + String(repeating: "#", count: filled)
      + String(repeating: "-", count: width - filled) + "] " + words
  }
}
