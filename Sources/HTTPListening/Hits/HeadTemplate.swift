import HTTPCaching
import HTTPTypes
import NIOCore
import NIOHTTP1

/// The head of a response as bytes, with places for its age and its lifetime.
struct HeadTemplate: Sendable {
  /// Without the two numbers and the empty line at the end.
  private let bytes: ByteBuffer
  private let agePlace: Int
  private let lifetimePlace: Int

  /// - Parameters:
  ///   - fields: With an `Age`.
  ///   - cacheStatus: The end of `Cache-Status`, with a lifetime as its last parameter.
  /// - Returns: `nil` unless there is one value of each.
  init?(_ status: Int, _ fields: HTTPFields, endsIn cacheStatus: CacheStatus) {
    guard let lifetime = cacheStatus.lifetime.map(String.init),
      cacheStatus.description.hasSuffix("; ttl=\(lifetime)")
    else { return nil }
    var bytes = ByteBuffer()
    let reason = HTTPResponseStatus(statusCode: status)
    bytes.writeString("HTTP/1.1 \(reason.code) \(reason.reasonPhrase)\r\n")
    var (ages, lifetimes): ([Int], [Int]) = ([], [])
    for field in fields {
      bytes.writeString(field.name.rawName)
      bytes.writeStaticString(": ")
      switch field.name {
      case .age: ages.append(bytes.writerIndex)
      case Self.cacheStatus:
        _ = field.withUnsafeBytesOfValue { bytes.writeBytes($0.dropLast(lifetime.utf8.count)) }
        lifetimes.append(bytes.writerIndex)
      default: _ = field.withUnsafeBytesOfValue { bytes.writeBytes($0) }
      }
      bytes.writeStaticString("\r\n")
    }
    guard ages.count == 1, lifetimes.count == 1 else { return nil }
    (agePlace, lifetimePlace) = (ages[0], lifetimes[0])
    self.bytes = bytes
  }

  private static let cacheStatus = HTTPField.Name("Cache-Status")

  /// The number of bytes, about.
  var byteCount: Int { bytes.readableBytes }

  /// The complete head.
  func head(
    age: Int, lifetime: Int, connection: String?, _ allocator: ByteBufferAllocator
  ) -> ByteBuffer {
    var head = allocator.buffer(capacity: bytes.readableBytes + 64)
    let isAgeFirst = agePlace < lifetimePlace
    let places = [
      isAgeFirst ? (agePlace, age) : (lifetimePlace, lifetime),
      isAgeFirst ? (lifetimePlace, lifetime) : (agePlace, age),
    ]
    var copied = 0
    bytes.withUnsafeReadableBytes { bytes in
      for (place, number) in places {
        head.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[copied..<place]))
        head.writeString(String(number))
        copied = place
      }
      head.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[copied...]))
    }
    if let connection {
      head.writeStaticString("Connection: ")
      head.writeString(connection)
      head.writeStaticString("\r\n")
    }
    head.writeStaticString("\r\n")
    return head
  }
}
