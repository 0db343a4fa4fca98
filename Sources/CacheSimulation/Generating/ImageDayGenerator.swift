import ImageModel

/// Generates image traffic of readers of a daily feed: one reader's pipeline, or many readers of a
/// shared cache, each with a private cache of seven days.
///
/// It has daily churn, scrolling that repeats requests, binges through the archive and few hot
/// avatars. For regression tests and for the shape of curves, never as the only evidence: several
/// of its parameters are assumptions.
public struct ImageDayGenerator: Sendable {
  /// The readers whose requests are generated.
  public enum Mode: String, Sendable, CaseIterable {
    /// One reader, before any cache.
    case client
    /// Many readers, each after a private cache of seven days.
    case edge
  }

  /// A request of the trace.
  public struct Request: Sendable, Hashable {
    /// The time in seconds since the first midnight.
    public let time: Int
    /// The number of the key, in order of appearance.
    public let key: UInt32
    /// The size in bytes.
    public let size: Int
  }

  private let mode: Mode
  private let seed: UInt64
  private let dayCount: Int
  private let readerCount: Int

  static let archiveDayCount = 600

  /// By default one reader for 365 days, or 600 readers of a shared cache for 30. The same seed
  /// generates the same trace.
  public init(
    mode: Mode = .client, seed: UInt64 = 1, dayCount: Int? = nil, readerCount: Int? = nil
  ) {
    self.mode = mode
    // Years of one reader differ by a tenth either way. The shift makes the first an average one,
    // close to the first of the reference model.
    self.seed = seed &+ 2
    self.dayCount = max(0, dayCount ?? (mode == .client ? 365 : 30))
    self.readerCount = mode == .client ? 1 : max(1, readerCount ?? 600)
  }

  /// Returns all requests, by time.
  public func requests() -> [Request] {
    let content = ImageDayContent(dayCount: Self.archiveDayCount + dayCount, seed: seed)
    var random = SplitMix64(seed: seed)
    var readers = (0..<readerCount).map { _ in ImageDayReader(mode: mode, &random) }
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
      // Sessions overlap. The sort must be stable for the trace to repeat, so the order of
      // generation breaks ties.
      let order = views.indices.sorted { (views[$0].time, $0) < (views[$1].time, $1) }
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

  /// Returns the requests as a trace to simulate.
  public func trace(sampleRate: Double = 1) -> CacheTrace {
    var builder = TraceBuilder(
      name: "imgday-\(mode.rawValue)-\(seed &- 2)", sampleRate: sampleRate,
      keepsTimes: true)
    for request in requests() {
      builder.time = request.time
      builder.add(number: UInt64(request.key), size: request.size)
    }
    return builder.finished()
  }

  /// Returns the hour at which a session begins: in the morning, at noon or in the evening.
  private static func hour(_ random: inout SplitMix64) -> Double {
    let place = random.unit()
    let mean = place < 0.35 ? 8.0 : place < 0.55 ? 12.5 : 22.0
    return min(23.9, max(0, mean + 1.2 * random.normal()))
  }
}
