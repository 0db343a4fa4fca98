public import ImageModel

/// A whole body: in memory, or, if it was long or slow, in a file of the cache that is removed with
/// the last copy of this value.
public struct FetchedBody: Sendable {
  private enum Storage {
    case bytes([UInt8])
    case staged(any StagedBody)
  }
  private let storage: Storage

  /// Creates a body in memory.
  public static func bytes(_ bytes: [UInt8]) -> FetchedBody {
    FetchedBody(storage: .bytes(bytes))
  }

  private init(storage: Storage) { self.storage = storage }

  init(_ staged: any StagedBody) { storage = .staged(staged) }

  /// The file of a body that is in one, for the store that renames it.
  package var staged: (any StagedBody)? {
    if case .staged(let staged) = storage { staged } else { nil }
  }

  /// The length in bytes.
  public var byteCount: Int {
    switch storage {
    case .bytes(let bytes): bytes.count
    case .staged(let staged): staged.byteCount
    }
  }

  /// Calls `body` with the bytes in place; a file is mapped.
  package func withBytes<Result>(_ body: (RawSpan) throws -> Result) throws -> Result {
    switch storage {
    case .bytes(let bytes): try body(bytes.span.bytes)
    case .staged(let staged):
      try staged.withFile {
        try MappedFile(descriptor: $0, byteCount: staged.byteCount).withBytes(body)
      }
    }
  }

  /// The bytes as an array; reads the file if there is one.
  ///
  /// - Throws: `ImageError` with code `fileUnreadable`.
  public func bytes() throws(ImageError) -> [UInt8] {
    if case .bytes(let bytes) = storage { return bytes }
    do {
      return try withBytes { span in span.withUnsafeBytes { [UInt8]($0) } }
    } catch {
      throw error as? ImageError ?? ImageError(.fileUnreadable, "cannot read a body", cause: error)
    }
  }
}

extension FetchedBody: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    switch storage {
    case .bytes(let bytes): ["bytes": bytes.summary]
    case .staged(let staged): ["byteCount": staged.byteCount]
    }
  }
}
