import ImageModel
import NIOCore

/// The bytes of a head on their way to NIO's parser and from its encoder.
enum HeadBytes {
  enum Method {
    /// A method of so many bytes, and a space.
    case complete(Int)
    /// All bytes so far may be of a method.
    case incomplete
    case malformed
  }

  /// The longest method that is passed on; the longest registered one has 17 bytes.
  private static let maximumMethodByteCount = 64

  /// The methods that NIO's parser supports under their own names; it names `M-SEARCH` otherwise.
  private static let known = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT",
  ]
  .map { Array($0.utf8) }

  static func isReplaced(_ line: ByteBuffer, _ count: Int) -> Bool {
    let method = line.readableBytesView.prefix(count)
    return !known.contains { $0.count == count && method.elementsEqual($0) }
  }

  /// Reads the method of a request line: a token (RFC 9110 §9.1, §5.6.2).
  static func method(in line: ByteBuffer) -> Method {
    var count = 0
    for byte in line.readableBytesView {
      if byte == UInt8(ascii: " "), count > 0 { return .complete(count) }
      guard HTTPText.isOfToken(byte), count < maximumMethodByteCount else {
        return .malformed
      }
      count += 1
    }
    return .incomplete
  }

  /// The number of bytes through the end of a head, or of all there are. A head may seem to end where
  /// it does not: what follows is passed on as it is until the parser has seen the end.
  static func end(in buffer: ByteBuffer) -> Int {
    buffer.withUnsafeReadableBytes { bytes in
      var start = 0
      while let end = bytes[start...].firstIndex(of: 0x0A) {
        let line = bytes[start..<end]
        if line.isEmpty || line.count == 1 && line.first == 0x0D { return end + 1 }
        start = end + 1
      }
      return bytes.count
    }
  }

  static func endOfLine(in buffer: ByteBuffer) -> Int {
    buffer.withUnsafeReadableBytes { $0.firstIndex(of: 0x0A).map { $0 + 1 } ?? $0.count }
  }

  /// Encodes ISO 8859-1 as UTF-8.
  static func widened(_ head: ByteBuffer) -> ByteBuffer {
    guard hasBytesBeyondASCII(head) else { return head }
    var wide = ByteBuffer()
    for byte in head.readableBytesView {
      if byte >= 0x80 { wide.writeInteger(0xC0 | byte >> 6) }
      wide.writeInteger(byte < 0x80 ? byte : 0x80 | byte & 0x3F)
    }
    return wide
  }

  /// Decodes UTF-8 to ISO 8859-1.
  static func narrowed(_ head: ByteBuffer) -> ByteBuffer {
    guard hasBytesBeyondASCII(head) else { return head }
    var narrow = ByteBuffer()
    var lead: UInt8?
    for byte in head.readableBytesView {
      if let first = lead {
        narrow.writeInteger(first << 6 | byte & 0x3F)
        lead = nil
      } else if byte >= 0x80 {
        lead = byte
      } else {
        narrow.writeInteger(byte)
      }
    }
    return narrow
  }

  private static func hasBytesBeyondASCII(_ head: ByteBuffer) -> Bool {
    head.withUnsafeReadableBytes { $0.contains { $0 >= 0x80 } }
  }
}
