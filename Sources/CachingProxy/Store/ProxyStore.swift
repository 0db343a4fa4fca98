import ImagePipeline

/// Where a proxy keeps responses and their bodies.
protocol ProxyStore: ResponseStore<ProxyEntry> {
  /// Begins to take a response; `nil` when it cannot be kept.
  ///
  /// - Parameter byteCount: The length of its body; `nil` when that is not known.
  func stage(byteCount: Int?) -> (any StagedResponse)?
  /// Counts a use of an entry whose bytes were not needed, as for a 304; opening the bytes counts
  /// by itself.
  func touch(_ entry: ProxyEntry, for url: String)
}

/// A response in a proxy's store.
struct ProxyEntry: StoredEntry {
  /// Names it among all entries.
  let key: CacheKey
  let response: StoredResponse
  /// Opens its bytes; `nil` when they are gone.
  let open: @Sendable () -> (any StoredBody)?
}

/// The bytes of a stored response.
protocol StoredBody: Sendable {
  /// Returns bytes from a place on, at most so many; fewer only at the end.
  ///
  /// - Throws: When they cannot be read.
  func read(at offset: Int, count: Int) throws -> [UInt8]
}

/// The body of a response that is being stored; its bytes can be read meanwhile. One task at a time
/// appends.
protocol StagedResponse: StoredBody {
  /// Adds bytes.
  ///
  /// - Throws: When there are too many, or there is no room; then the response cannot be kept any
  ///   more, but what was added before can still be read.
  func append(_ bytes: [UInt8]) throws
  /// Puts the response in place of the one that is stored for the URL and the same selection.
  func commit(_ response: StoredResponse, for url: String) throws
}
