import ImageModel

/// A cache trace, the simulator's input: requests to a cache in order, with keys numbered as they
/// first appear.
///
/// Takes twelve bytes a request and none an object, twenty where times are kept; the names of keys are
/// not kept.
public struct CacheTrace: Sendable {
  /// The name shown to users: the file's name without folder and extensions.
  public private(set) var name: String
  /// The file it was read from; `nil` for stdin and for a generated trace.
  public let path: String?
  /// The number of each request's key, from 0.
  public let keys: [UInt32]
  /// The size of each request's object in bytes, 0 or more.
  public let sizes: [Int]
  /// The time of each request in whole seconds; `nil` when they were not kept.
  let times: [Int]?
  /// The lines of an access log that are not requests of the trace, in words; `nil` for none.
  public let leftOut: String?
  /// The statistics of the whole trace.
  public let facts: TraceFacts
  private let thinning: Thinning?

  /// The whole trace from which a sample was taken.
  struct Thinning: Sendable {
    var rate: Double
    let requestCount: Int
    let byteCount: Int?
  }

  init(
    name: String, path: String? = nil, keys: [UInt32], sizes: [Int], times: [Int]? = nil,
    leftOut: String? = nil, thinning: Thinning? = nil
  ) {
    self.name = name
    self.path = path
    self.keys = keys
    self.sizes = sizes
    self.times = times
    self.leftOut = leftOut
    facts = TraceFacts(keys: keys, sizes: sizes)
    self.thinning = thinning.flatMap { $0.rate < 1 ? $0 : nil }
  }

  /// The share of keys in it, 1 for all.
  public var sampleRate: Double { thinning?.rate ?? 1 }
  /// The number of requests before sampling.
  public var fullRequestCount: Int { thinning?.requestCount ?? keys.count }
  /// The expected number of requests for so many keys; the actual number for a whole trace.
  ///
  /// A sample has or lacks the hottest keys by chance, and with them many requests that always hit.
  /// Misses are spread over many keys, so misses are counted and compared with this number:
  /// SHARDS_adj of Waldspurger et al., FAST 2015.
  var expectedRequestCount: Double {
    thinning.map { Double($0.requestCount) * $0.rate } ?? Double(keys.count)
  }
  /// The same in bytes; the actual bytes when not all sizes are known.
  var expectedByteCount: Double {
    thinning.flatMap { all in all.byteCount.map { Double($0) * all.rate } }
      ?? Double(facts.requestedByteCount)
  }

  /// Returns a trace of some of the keys.
  func part(keys: [UInt32], sizes: [Int], ofEvery count: Int) -> CacheTrace {
    let all =
      thinning
      ?? Thinning(rate: 1, requestCount: self.keys.count, byteCount: facts.requestedByteCount)
    return CacheTrace(
      name: name, keys: keys, sizes: sizes,
      thinning: Thinning(
        rate: all.rate / Double(count), requestCount: all.requestCount, byteCount: all.byteCount))
  }

  /// Returns the traces with distinct names: those that share a name are named by their paths, if
  /// any.
  public static func distinguished(_ traces: [CacheTrace]) -> [CacheTrace] {
    let counts = Dictionary(traces.map { ($0.name, 1) }, uniquingKeysWith: +)
    return traces.map { trace in
      var trace = trace
      if counts[trace.name] ?? 0 > 1, let path = trace.path { trace.name = path }
      return trace
    }
  }

  /// Returns the index of the next request with the same key for each request; the number of
  /// requests for the last one of a key.
  func nextRequests() -> [UInt32] {
    let none = UInt32(keys.count)
    var next = [UInt32](repeating: none, count: keys.count)
    var seen = [UInt32](repeating: none, count: facts.objectCount)
    for index in keys.indices.reversed() {
      next[index] = seen[Int(keys[index])]
      seen[Int(keys[index])] = UInt32(index)
    }
    return next
  }

  /// Splits the trace into parts with different keys, each a sample; their spread is the error of a
  /// sample.
  func split(into count: Int) -> [CacheTrace] {
    var parts = [(keys: [UInt32], sizes: [Int])](repeating: ([], []), count: count)
    var numbers = [UInt32](repeating: 0, count: facts.objectCount)
    var known = [UInt32](repeating: 0, count: count)
    for (index, key) in keys.enumerated() {
      // Keys are numbered as they appear, so their numbers say nothing; still, mix them.
      let part = Int((UInt64(key) &* 0x9e37_79b9_7f4a_7c15) >> 40) % count
      if numbers[Int(key)] == 0 {
        known[part] += 1
        numbers[Int(key)] = known[part]
      }
      parts[part].keys.append(numbers[Int(key)] - 1)
      parts[part].sizes.append(sizes[index])
    }
    return parts.map { part(keys: $0.keys, sizes: $0.sizes, ofEvery: count) }
  }
}
