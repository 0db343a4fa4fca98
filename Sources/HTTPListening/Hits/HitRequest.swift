import ImageModel
public import NIOHTTP1

/// A plain `GET` or `HEAD`, which a response that is ready may answer: it has no body, and no field
/// that only the rules of HTTP decide, such as a range.
public final class HitRequest {
  /// Its head.
  public fileprivate(set) var head: HTTPRequestHead
  /// The facts of its fields.
  public let facts: RequestFacts
  let isKeptAlive: Bool

  /// - Returns: `nil` for a request of another kind.
  init?(_ head: HTTPRequestHead, _ facts: RequestFacts, isKeptAlive: Bool) {
    guard head.method == .GET || head.method == .HEAD,
      head.version == .http1_1 || head.version == .http1_0,
      facts.namesHost(in: head.version), !facts.needsCare, !facts.hasBody
    else { return nil }
    self.head = head
    self.facts = facts
    self.isKeptAlive = isKeptAlive
  }

  /// The value of `Connection` in its response; `nil` to omit it.
  public var connection: String? {
    isKeptAlive ? (head.version == .http1_0 ? "keep-alive" : nil) : "close"
  }
}

/// The bytes of a request's head except for its target, with the parser's result.
struct KnownHead {
  private static let maximumByteCount = 8 << 10

  private let prefix: [UInt8]
  private let suffix: [UInt8]
  private let request: HitRequest

  /// Stores the bytes from which the parser has made a request; `nil` if the target from the parser
  /// differs from them, and for a head that is too large to be kept with each connection.
  init?(_ bytes: UnsafeRawBufferPointer, _ request: HitRequest) {
    prefix = Array("\(request.head.method.rawValue) ".utf8)
    let target = request.head.uri.utf8
    guard bytes.count <= Self.maximumByteCount, bytes.starts(with: prefix),
      bytes.dropFirst(prefix.count).starts(with: target)
    else {
      return nil
    }
    suffix = Array(bytes.dropFirst(prefix.count + target.count))
    guard suffix.first == UInt8(ascii: " ") else { return nil }
    self.request = request
  }

  func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count > prefix.count + suffix.count && Self.isEqual(bytes.prefix(prefix.count), prefix)
      && Self.isEqual(bytes.suffix(suffix.count), suffix)
  }

  /// The request of bytes that match; `nil` if its target is not a path of visible ASCII
  /// characters: there may be a second request in it. Otherwise it is not checked further: a target
  /// that the parser would refuse has no response.
  func request(of bytes: UnsafeRawBufferPointer) -> HitRequest? {
    let target = bytes[prefix.count..<bytes.count - suffix.count]
    guard target.first == UInt8(ascii: "/"), target.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    request.head.uri = String(decoding: target, as: UTF8.self)
    return request
  }

  private static func isEqual(_ bytes: Slice<UnsafeRawBufferPointer>, _ others: [UInt8]) -> Bool {
    others.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: bytes).isSame(as: $0) }
  }
}
