import HTTPCaching
import HTTPTypes
import NIOCore
import NIOHTTP1

/// The head of a response as bytes, with places for what differs from one moment to the next.
struct HeadTemplate: Sendable {
  private enum Value: Sendable {
    case age, lifetime, date
  }

  /// Without the values and the empty line at the end.
  private var bytes = ByteBuffer()
  private var places: [(offset: Int, value: Value)] = []

  /// A head with the age and the lifetime, with which `Cache-Status` ends, where they are in its
  /// fields, or else the age and the date; `nil` unless there is one of each.
  init?(_ status: Int, _ fields: HTTPFields, endsIn cacheStatus: CacheStatus? = nil) {
    let lifetime = cacheStatus?.lifetime.map(String.init)
    if let cacheStatus {
      guard let lifetime, cacheStatus.description.hasSuffix("; ttl=\(lifetime)") else { return nil }
    }
    let reason = HTTPResponseStatus(statusCode: status)
    bytes.writeString("HTTP/1.1 \(reason.code) \(reason.reasonPhrase)\r\n")
    for field in fields {
      bytes.writeString(field.name.rawName)
      bytes.writeStaticString(": ")
      switch field.name {
      case .age: places.append((bytes.writerIndex, .age))
      case .date where lifetime == nil: places.append((bytes.writerIndex, .date))
      case .cacheStatus where lifetime != nil:
        let count = lifetime?.utf8.count ?? 0
        _ = field.withUnsafeBytesOfValue { bytes.writeBytes($0.dropLast(count)) }
        places.append((bytes.writerIndex, .lifetime))
      default: _ = field.withUnsafeBytesOfValue { bytes.writeBytes($0) }
      }
      bytes.writeStaticString("\r\n")
    }
    guard places.count == 2, places[0].value != places[1].value else { return nil }
  }

  /// The same in memory of its own.
  func copied() -> HeadTemplate {
    var copy = self
    copy.bytes = ByteBuffer(bytes: bytes.readableBytesView)
    copy.places = places.map { $0 }
    return copy
  }

  var byteCount: Int { bytes.readableBytes }

  func head(
    age: Int, lifetime: Int, date: @autoclosure () -> String, connection: String?,
    others: String = "", _ allocator: ByteBufferAllocator
  ) -> ByteBuffer {
    var head = allocator.buffer(capacity: bytes.readableBytes + 96 + others.utf8.count)
    var copied = 0
    bytes.withUnsafeReadableBytes { bytes in
      for (offset, value) in places {
        head.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[copied..<offset]))
        switch value {
        case .age: head.writeString(String(age))
        case .lifetime: head.writeString(String(lifetime))
        case .date: head.writeString(date())
        }
        copied = offset
      }
      head.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[copied...]))
    }
    if let connection {
      head.writeStaticString("Connection: ")
      head.writeString(connection)
      head.writeStaticString("\r\n")
    }
    if !others.isEmpty { head.writeString(others) }
    head.writeStaticString("\r\n")
    return head
  }
}
