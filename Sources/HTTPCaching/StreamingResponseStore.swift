public import HTTPTypes
public import ImageModel

/// A store of responses and their bodies, which are written while they arrive and read from where
/// they are.
public protocol StreamingResponseStore: ResponseStore<StreamingEntry> {
  /// Begins to store a response; `nil` if it cannot be stored.
  ///
  /// - Parameter byteCount: The length of its body; `nil` if unknown.
  func stage(byteCount: Int?) -> (any StagedResponse)?
  /// Counts a use of an entry whose bytes were not needed, as for a 304; opening the bytes counts
  /// as a use.
  func touch(_ entry: StreamingEntry, for url: String)
  /// Removes all that is stored for some URLs or has one of some tags, for good: what was requested
  /// before is not stored by other processes either. Default: as ``ResponseStore/removeAll(for:)``,
  /// and nothing by tag.
  ///
  /// - Returns: The number of entries removed.
  /// - Throws: `ImageError` if they cannot be removed.
  func purge(_ urls: [String], tags: [String]) throws -> Int
  /// Returns the stored URLs that begin with one of some texts, or whose responses have one of some
  /// tags; `nil` if the store cannot find them. Default: `nil`.
  ///
  /// - Throws: `ImageError` if it cannot be read.
  func urls(under prefixes: [String], tagged tags: [String]) throws -> [String]?
  /// Returns the URLs of stored responses with `No-Vary-Search`, and their fields, oldest first. Default:
  /// none.
  func variedResponses() -> [(url: String, fields: HTTPFields)]
  /// The time of the last purge by tag that ``forget(_:)`` has carried out. Default: the distant past.
  var lastSharedPurge: Date { get async }
  /// Removes what another server has purged. Default: what is stored for its URLs, and nothing by
  /// tag.
  ///
  /// - Throws: `ImageError` if it cannot be removed.
  func forget(_ purge: TierPurge) async throws

  /// Identifies what is stored for a URL: the value differs after each change of it. `nil` if
  /// nothing is stored or the store does not provide it. Does not block. Default: `nil`.
  func revision(of url: String) -> UInt64?
  /// Counts a use of an entry and returns its body without waiting for the disk: for event loops,
  /// which send a response that was prepared when the entry was looked up. Default: `nil`.
  ///
  /// `revision` is the result of ``revision(of:)`` before the entry was looked up; `needsBody` is
  /// whether the body is sent: if not, an empty one is returned.
  ///
  /// - Returns: `nil` if anything that is stored for the URL has changed since, and if the bytes are
  ///   not in memory or should be verified.
  func reuse(
    _ key: CacheKey, of url: String, at revision: UInt64, needsBody: Bool
  ) -> (any StoredBody)?
}

extension StreamingResponseStore {
  /// Removes all that is stored for the URLs.
  public func purge(_ urls: [String], tags: [String]) throws -> Int {
    urls.reduce(0) { count, url in
      defer { removeAll(for: url) }
      return count + entries(for: url, request: [:]).count
    }
  }

  /// Returns `nil`: the store cannot find them.
  public func urls(under prefixes: [String], tagged tags: [String]) throws -> [String]? { nil }

  /// Returns none.
  public func variedResponses() -> [(url: String, fields: HTTPFields)] { [] }

  /// The distant past.
  public var lastSharedPurge: Date { get async { .distantPast } }

  /// Removes what is stored for the URLs that another server has purged.
  public func forget(_ purge: TierPurge) async throws {
    _ = try self.purge(purge.urls, tags: [])
  }

  /// Returns `nil`: the store provides no revisions.
  public func revision(of url: String) -> UInt64? { nil }
  /// Returns `nil`: every response is looked up.
  public func reuse(
    _ key: CacheKey, of url: String, at revision: UInt64, needsBody: Bool
  ) -> (any StoredBody)? { nil }
}

/// A response in a store whose bodies are streamed.
public struct StreamingEntry: StoredEntry {
  /// Identifies it among all entries.
  public let key: CacheKey
  /// The response's metadata, as the rules of HTTP need it.
  public let response: StoredResponse
  /// Opens its body; `nil` if the bytes are gone.
  public let open: @Sendable () -> (any StoredBody)?

  /// Creates an entry.
  public init(
    key: CacheKey, response: StoredResponse, open: @escaping @Sendable () -> (any StoredBody)?
  ) {
    self.key = key
    self.response = response
    self.open = open
  }
}

/// The bytes of a stored response.
public protocol StoredBody: Sendable {
  /// Returns at most `count` bytes from an offset on; fewer only at the end.
  ///
  /// - Throws: `ImageError` if they cannot be read.
  func read(at offset: Int, count: Int) throws -> [UInt8]
  /// A file that has these bytes from its start on, open for as long as the body is referenced;
  /// `nil` if there is none. Default: `nil`.
  var descriptor: Int32? { get }
}

extension StoredBody {
  /// `nil`: the bytes are in no file.
  public var descriptor: Int32? { nil }
}

extension [UInt8]: StoredBody {
  /// Returns at most `count` bytes from an offset on; fewer only at the end.
  public func read(at offset: Int, count: Int) -> [UInt8] {
    Array(self[Swift.min(offset, self.count)..<Swift.min(offset + count, self.count)])
  }
}

/// The body of a response that is being stored; its bytes can be read meanwhile. One task at a time
/// appends.
public protocol StagedResponse: StoredBody {
  /// Adds bytes.
  ///
  /// - Throws: An error if there are too many, or there is no room; then the response cannot be
  ///   stored any more, but the bytes added before can still be read.
  func append(_ bytes: [UInt8]) throws
  /// Puts the response in place of the one that is stored for the URL and the same selection.
  func commit(_ response: StoredResponse, for url: String) throws
}
