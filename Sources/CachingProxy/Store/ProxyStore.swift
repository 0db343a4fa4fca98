import HTTPListening
import ImagePipeline

/// A store of responses and their bodies.
protocol ProxyStore: ResponseStore<ProxyEntry> {
  /// Begins to store a response; `nil` if it cannot be stored.
  ///
  /// - Parameter byteCount: The length of its body; `nil` if unknown.
  func stage(byteCount: Int?) -> (any StagedResponse)?
  /// Counts a use of an entry whose bytes were not needed, as for a 304; opening the bytes counts
  /// as a use.
  func touch(_ entry: ProxyEntry, for url: String)
}

/// A response in a proxy's store.
struct ProxyEntry: StoredEntry {
  /// Identifies it among all entries.
  let key: CacheKey
  let response: StoredResponse
  /// Opens its body; `nil` if the bytes are gone.
  let open: @Sendable () -> (any StoredBody)?
}

/// The bytes of a stored response.
protocol StoredBody: Sendable {
  /// Returns at most `count` bytes from an offset on; fewer only at the end.
  ///
  /// - Throws: ``ImageError`` if they cannot be read.
  func read(at offset: Int, count: Int) throws -> [UInt8]
}

extension [UInt8]: StoredBody {
  func read(at offset: Int, count: Int) -> [UInt8] {
    Array(self[Swift.min(offset, self.count)..<Swift.min(offset + count, self.count)])
  }
}

extension BodyFile: StoredBody {
  func read(at offset: Int, count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      filled = try read(into: UnsafeMutableRawBufferPointer(room), at: offset)
    }
  }
}

/// The body of a response that is being stored; its bytes can be read meanwhile. One task at a time
/// appends.
protocol StagedResponse: StoredBody {
  /// Adds bytes.
  ///
  /// - Throws: An error if there are too many, or there is no room; then the response cannot be
  ///   stored any more, but the bytes added before can still be read.
  func append(_ bytes: [UInt8]) throws
  /// Puts the response in place of the one that is stored for the URL and the same selection.
  func commit(_ response: StoredResponse, for url: String) throws
}
