#if canImport(Glibc)
  public import Glibc
#else
  public import Darwin
#endif

/// A string that equals another one if its bytes do.
///
/// To `String`, the two spellings of `é` in Unicode are equal, as are the Kelvin sign and `K`
/// (canonical equivalence). To an origin they are not, and so URLs, and what is named by them, are
/// compared by bytes: in keys, and where each URL is to count once.
public struct ExactString: Sendable, Hashable, CustomStringConvertible {
  /// The string.
  public let text: String

  /// Wraps a string.
  @inlinable public init(_ text: String) { self.text = text }

  /// The string.
  public var description: String { text }

  /// Compares bytes of UTF-8.
  public static func == (one: ExactString, other: ExactString) -> Bool {
    var (one, other) = (one.text, other.text)
    return one.withUTF8 { one in
      other.withUTF8 { UnsafeRawBufferPointer(one).isSame(as: UnsafeRawBufferPointer($0)) }
    }
  }

  /// Hashes the bytes of UTF-8, and an end that is not in any of them.
  @inlinable public func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(0xFF as UInt8)
  }
}

extension UnsafeRawBufferPointer {
  @inlinable package func isSame(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    guard let first = baseAddress, let second = other.baseAddress else { return true }
    return memcmp(first, second, count) == 0
  }
}

extension [UInt8] {
  /// Whether the bytes are equal. `==` compares one by one, which took longer than reading them.
  package func isSame(as other: [UInt8]) -> Bool {
    withUnsafeBytes { one in other.withUnsafeBytes { one.isSame(as: $0) } }
  }
}
