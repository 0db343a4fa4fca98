public import NIOCore

/// A reply of a server, as RESP2 has them. Source: the Redis serialization protocol specification.
public enum RedisValue: Sendable, Hashable {
  /// A short text such as `OK`.
  case status(String)
  /// The command failed. Inside an array it is one of several results.
  case error(RedisError)
  /// A signed integer of 64 bits.
  case integer(Int64)
  /// Bytes. They share their storage with what was received in one read.
  case bytes(ByteBuffer)
  /// Several values.
  case array([RedisValue])
  /// No value: a null string or a null array.
  case null

  /// The bytes, of a status as well; `nil` for anything else.
  public var bytes: ByteBuffer? {
    switch self {
    case .bytes(let bytes): bytes
    case .status(let text): ByteBuffer(string: text)
    default: nil
    }
  }

  /// The text of a status or of bytes, with invalid UTF-8 replaced; `nil` for anything else.
  public var text: String? {
    switch self {
    case .bytes(let bytes): String(buffer: bytes)
    case .status(let text): text
    default: nil
    }
  }

  /// The integer; `nil` for anything else.
  public var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The values of an array; `nil` for anything else.
  public var array: [RedisValue]? {
    if case .array(let values) = self { values } else { nil }
  }
}
