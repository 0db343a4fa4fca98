import ImagePipeline

/// Requests to a cache, in order, with the keys numbered as they first appear.
///
/// Twelve bytes a request and none an object; names of keys are not kept.
public struct Trace: Sendable {
  /// What people call it: the file's name without folder and endings.
  public private(set) var name: String
  /// Where it was read from; `nil` for stdin and for one that was made.
  public let path: String?
  /// The number of each request's key, from 0.
  public let keys: [UInt32]
  /// The size of each request's object in bytes, 0 or more.
  public let sizes: [Int]
  /// What is known of it as a whole.
  public let facts: TraceFacts
  private let thinning: Thinning?

  /// What a trace was before keys were left out.
  struct Thinning: Sendable {
    /// The share of keys that stayed.
    var rate: Double
    /// All requests.
    let requestCount: Int
    /// Their bytes; `nil` where not all are known.
    let byteCount: Int?
  }

  init(
    name: String, path: String? = nil, keys: [UInt32], sizes: [Int], thinning: Thinning? = nil
  ) {
    self.name = name
    self.path = path
    self.keys = keys
    self.sizes = sizes
    facts = TraceFacts(keys: keys, sizes: sizes)
    self.thinning = thinning.flatMap { $0.rate < 1 ? $0 : nil }
  }

  /// The share of keys that it was thinned to, 1 for all.
  public var sampleRate: Double { thinning?.rate ?? 1 }
  /// Requests before it was thinned.
  public var fullRequestCount: Int { thinning?.requestCount ?? keys.count }
  /// Requests to expect of so many keys; the requests there are where all keys are.
  ///
  /// A sample has or lacks the hottest keys by chance, and with them many requests that always hit. Misses are spread
  /// over many keys, so they are what is counted, and set against these: SHARDS_adj of Waldspurger et al., FAST 2015.
  var expectedRequestCount: Double {
    thinning.map { Double($0.requestCount) * $0.rate } ?? Double(keys.count)
  }
  /// The same in bytes; those there are where not all are known.
  var expectedByteCount: Double {
    thinning.flatMap { all in all.byteCount.map { Double($0) * all.rate } }
      ?? Double(facts.requestedByteCount)
  }

  /// Some of the keys alone.
  func part(keys: [UInt32], sizes: [Int], ofEvery count: Int) -> Trace {
    let all =
      thinning
      ?? Thinning(rate: 1, requestCount: self.keys.count, byteCount: facts.requestedByteCount)
    return Trace(
      name: name, keys: keys, sizes: sizes,
      thinning: Thinning(
        rate: all.rate / Double(count), requestCount: all.requestCount, byteCount: all.byteCount))
  }

  /// The same traces; those that share a name are called by their paths, where they have one.
  public static func distinguished(_ traces: [Trace]) -> [Trace] {
    let counts = Dictionary(traces.map { ($0.name, 1) }, uniquingKeysWith: +)
    return traces.map { trace in
      var trace = trace
      if counts[trace.name] ?? 0 > 1, let path = trace.path { trace.name = path }
      return trace
    }
  }

  /// For each request the index of the next one with its key; the number of requests where there is none.
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
}
