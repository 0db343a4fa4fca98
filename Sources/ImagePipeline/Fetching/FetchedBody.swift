/// A whole body: in memory, or in a file that the receiver owns.
public enum FetchedBody: Sendable {
  /// The bytes.
  case bytes([UInt8])
  /// The path of a file that holds the bytes and nothing else. Whoever gets the answer adopts or
  /// removes it.
  case file(path: String, byteCount: Int)

  /// The length in bytes.
  public var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .file(_, let byteCount): byteCount
    }
  }

  /// Lets `body` read the bytes where they are; a file is mapped.
  ///
  /// - Throws: ``ImageError`` with code `fileUnreadable` when the file cannot be read; else what
  ///   `body` throws.
  public func withBytes<Result>(_ body: (RawSpan) throws -> Result) throws -> Result {
    switch self {
    case .bytes(let bytes): try body(bytes.span.bytes)
    case .file(let path, let byteCount):
      try MappedFile(path: path, byteCount: byteCount).withBytes(body)
    }
  }

  /// The bytes as an array; reads the file where there is one.
  public func bytes() throws -> [UInt8] {
    if case .bytes(let bytes) = self { return bytes }
    return try withBytes { span in span.withUnsafeBytes { [UInt8]($0) } }
  }
}
