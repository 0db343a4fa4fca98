/// A whole body, in memory or in a file that the receiver owns.
public enum FetchedBody: Sendable {
  /// The bytes.
  case bytes([UInt8])
  /// The path of a file with exactly the bytes. The receiver adopts or removes it.
  case file(path: String, byteCount: Int)

  /// The length in bytes.
  public var byteCount: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .file(_, let byteCount): byteCount
    }
  }

  /// Calls `body` with the bytes, without a copy; a file is mapped.
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

  /// Returns the bytes as an array, read from the file where there is one.
  public func bytes() throws -> [UInt8] {
    if case .bytes(let bytes) = self { return bytes }
    return try withBytes { span in span.withUnsafeBytes { [UInt8]($0) } }
  }
}

/// Observes a body while it arrives: its length for a progress bar, its bytes for previews.
///
/// Called from one task at a time, on threads that may block; the transfer waits meanwhile. The
/// bytes are neither complete nor checked.
package protocol BodyWatching: Sendable {
  /// The position of the next byte to report, read before every chunk; `nil` for none.
  var wantedPosition: Int? { get }

  /// A body begins, the first one or that of a retry: discard what came before.
  func bodyBegan()

  /// The body grew.
  ///
  /// - Parameters:
  ///   - receivedByteCount: Bytes received, including a resumed prefix.
  ///   - expectedByteCount: The total if known.
  ///   - bytes: The bytes from ``wantedPosition`` on; empty where it was `nil`.
  func bodyGrew(to receivedByteCount: Int, of expectedByteCount: Int?, bytes: [UInt8])
}
