import ImagePipeline

/// Requests to a cache, in order, with the keys numbered as they first appear.
///
/// Twelve bytes a request and none an object; names of keys are not kept.
public struct Trace: Sendable {
  /// What people call it: the file's name without folder and endings.
  public let name: String
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
    name: String, keys: [UInt32], sizes: [Int], sampleRate: Double = 1, fullRequestCount: Int? = nil
  ) {
    self.name = name
    self.keys = keys
    self.sizes = sizes
    facts = TraceFacts(keys: keys, sizes: sizes)
    self.sampleRate = sampleRate
    self.fullRequestCount = fullRequestCount ?? keys.count
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
