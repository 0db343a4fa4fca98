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
  /// The share of keys that it was thinned to, 1 for all.
  public let sampleRate: Double
  /// Requests before it was thinned.
  public let fullRequestCount: Int

  init(
    name: String, path: String? = nil, keys: [UInt32], sizes: [Int], sampleRate: Double = 1,
    fullRequestCount: Int? = nil
  ) {
    self.name = name
    self.path = path
    self.keys = keys
    self.sizes = sizes
    facts = TraceFacts(keys: keys, sizes: sizes)
    self.sampleRate = sampleRate
    self.fullRequestCount = fullRequestCount ?? keys.count
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
