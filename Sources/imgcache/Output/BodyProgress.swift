import TextEncodings

/// The progress of the body of one image: bytes, percentage, rate and the time left.
struct BodyProgress {
  /// Bytes received, those of an earlier attempt included.
  var receivedByteCount: Int
  /// `nil` if the origin did not state it.
  var expectedByteCount: Int?

  var share: Double? {
    guard let expectedByteCount, expectedByteCount > 0 else { return nil }
    return min(1, max(0, Double(receivedByteCount) / Double(expectedByteCount)))
  }

  func line(byteRate: Double, columns: Int) -> String {
    var words = "\(ByteQuantity(receivedByteCount))"
    if let expectedByteCount, let share {
      words += " of \(ByteQuantity(expectedByteCount)), \(Int((share * 100).rounded(.down))) %"
    }
    words += ", \(ByteQuantity(Int(byteRate)))/s"
    if let expectedByteCount, byteRate >= 1, expectedByteCount > receivedByteCount {
      let missing = Double(expectedByteCount) - Double(receivedByteCount)
      let left = (missing / byteRate).rounded(.up)
      words += ", \(Duration.seconds(min(left, 1e9)).readable) left"
    }
    return ProgressBar.line(share: share, words: words, columns: columns)
  }
}

/// The rate at which a count of bytes has grown in the last three seconds.
struct RecentRate {
  private static let window = Duration.seconds(3)
  /// The least time between two samples, so that there are few.
  private static let spacing = Duration.milliseconds(100)

  private var samples: [(time: Duration, byteCount: Int)] = []

  mutating func record(_ byteCount: Int, at time: Duration) -> Double {
    if samples.last.map({ time - $0.time >= Self.spacing }) ?? true {
      samples.append((time, byteCount))
    }
    while samples.count > 2, time - samples[1].time >= Self.window { samples.removeFirst() }
    guard let first = samples.first, time > first.time else { return 0 }
    return max(0, Double(byteCount - first.byteCount) / ((time - first.time) / .seconds(1)))
  }
}
