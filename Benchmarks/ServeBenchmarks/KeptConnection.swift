import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A minimal client: one connection, one request at a time. Its own cost is in both
/// sides.
final class KeptConnection: Sendable {
  private let descriptor: Int32

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    address.sin_port = port.bigEndian
    let descriptor = descriptor
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { close(descriptor) }

  /// Sends consecutive requests on a new thread: the tasks' threads must not wait.
  /// Returns the shortest body.
  func get(_ targets: [String]) async -> Int {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: targets.map { self.get($0) }.min() ?? 0)
      }
    }
  }

  /// The length of the body of a 200; 0 for anything else.
  private func get(_ target: String) -> Int {
    let request = Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
    guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      return 0
    }
    return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { room in
      var filled = 0
      while true {
        let count = recv(
          descriptor, room.baseAddress.map { $0 + filled }, room.count - filled, 0)
        if count <= 0 { return 0 }
        filled += count
        let text = room[..<filled]
        guard let end = Self.find("\r\n\r\n", in: text) else { continue }
        guard let field = Self.find("ontent-Length: ", in: text[..<end]) else { return 0 }
        let length = text[(field + 15)...].prefix { (48...57).contains($0) }
          .reduce(0) { $0 * 10 + Int($1) - 48 }
        let isFine = text[9] == UInt8(ascii: "2")
        // The rest of the body takes the place of the head.
        var left = length - (filled - end - 4)
        while left > 0 {
          let count = recv(descriptor, room.baseAddress, min(left, room.count), 0)
          if count <= 0 { return 0 }
          left -= count
        }
        return isFine ? length : 0
      }
    }
  }

  private static func find(
    _ words: StaticString, in bytes: Slice<UnsafeMutableRawBufferPointer>
  ) -> Int? {
    let wanted = UnsafeBufferPointer(start: words.utf8Start, count: words.utf8CodeUnitCount)
    guard bytes.count >= wanted.count else { return nil }
    return (bytes.startIndex...bytes.endIndex - wanted.count).first { start in
      wanted.indices.allSatisfy { bytes[start + $0] == wanted[$0] }
    }
  }
}
