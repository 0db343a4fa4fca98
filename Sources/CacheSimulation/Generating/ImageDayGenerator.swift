import ImagePipeline

/// Synthetic image traffic of readers of a daily feed: one reader's pipeline, or many readers behind a shared cache
/// after a week's cache of their own.
///
/// Churn by the day, scrolling that asks for the same again, binges through the archive, few hot avatars. For
/// regression and for the shape, never as the only evidence: several of its parameters are assumptions.
public struct ImageDayGenerator: Sendable {
  /// Whose requests are seen.
  public enum Mode: String, Sendable, CaseIterable {
    /// Those of one reader, before any cache.
    case client
    /// Those of many readers, after each one's own cache of seven days.
    case edge
  }

  /// A request of the trace.
  public struct Request: Sendable, Hashable {
    /// Seconds since the first midnight.
    public let time: Int
    /// Numbered as they first appear.
    public let key: UInt32
    /// Bytes.
    public let size: Int
  }

  private let mode: Mode
  private let seed: UInt64
  private let dayCount: Int
  private let readerCount: Int

  static let archiveDayCount = 600

  /// - Parameters:
  ///   - mode: Default: one reader.
  ///   - seed: The same seed makes the same trace.
  ///   - dayCount: Default: 365 for one reader, 30 for many.
  ///   - readerCount: Default: 600 behind a shared cache.
  public init(
    mode: Mode = .client, seed: UInt64 = 1, dayCount: Int? = nil, readerCount: Int? = nil
  ) {
    self.mode = mode
    // Years of one reader differ by a tenth either way. The shift makes the first of them an average one, close to the
    // first one of the model's reference.
    self.seed = seed &+ 2
    self.dayCount = max(0, dayCount ?? (mode == .client ? 365 : 30))
    self.readerCount = mode == .client ? 1 : max(1, readerCount ?? 600)
  }

  /// All requests, by time.
  public func requests() -> [Request] {
    let content = ImageDayContent(dayCount: Self.archiveDayCount + dayCount, seed: seed)
    var random = SplitMix64(seed: seed)
    var readers = (0..<readerCount).map { _ in
      ImageDayReader(mode: mode, &random)
    }
    var numbers: [UInt64: UInt32] = [:]
    var requests: [Request] = []
    for day in 0..<dayCount {
      var sessions: [(start: Double, reader: Int)] = []
      for index in readers.indices where random.happens(0.85) {
        for _ in 0..<random.poisson(mean: 2.2 * readers[index].rate / 0.85) {
          sessions.append((Double(day) * 86_400 + Self.hour(&random) * 3_600, index))
        }
      }
      sessions.sort { $0.start < $1.start }
      var views: [ImageDayReader.View] = []
      for session in sessions {
        views += readers[session.reader].session(
          from: session.start, on: Self.archiveDayCount + day, content, &random)
      }
      // Sessions overlap. The sort must be stable for the trace to repeat, so the order of coming breaks ties.
      let order = views.indices.sorted {
        (views[$0].time, $0) < (views[$1].time, $1)
      }
      for index in order {
        let view = views[index]
        let identity = UInt64(view.image) << 1 | UInt64(view.variant)
        let key = numbers[identity] ?? UInt32(numbers.count)
        numbers[identity] = key
        requests.append(
          Request(
            time: Int(view.time), key: key,
            size: content.byteCount(of: view.image, variant: view.variant)))
      }
      for index in readers.indices { readers[index].forget(before: Double(day + 1) * 86_400) }
    }
    return requests
  }

  /// The same as a trace to simulate.
  public func trace(sampleRate: Double = 1) -> Trace {
    var builder = TraceBuilder(name: "imgday-\(mode.rawValue)-\(seed &- 2)", sampleRate: sampleRate)
    for request in requests() { builder.add(number: UInt64(request.key), size: request.size) }
    return builder.finished()
  }

  /// The hour of the day at which a session begins: morning, noon, or evening.
  private static func hour(_ random: inout SplitMix64) -> Double {
    let place = random.unit()
    let mean = place < 0.35 ? 8.0 : place < 0.55 ? 12.5 : 22.0
    return min(23.9, max(0, mean + 1.2 * random.normal()))
  }
}
