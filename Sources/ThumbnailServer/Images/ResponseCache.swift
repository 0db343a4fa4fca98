import CachePolicies
import HTTPListening
import HTTPTypes
import ImageModel
import NIOCore

/// The memory tier of the server: responses by the target they answer, and placeholders by the
/// input they are computed from.
///
/// A response stays for a minute at most, then the disk is read again: so that removals and
/// refreshes by other processes take effect, and the disk counts the use.
typealias ResponseCache = MemoryCache<CachedResponse>

enum CachedResponse: Sendable {
  case ready(ReadyImage)
  case placeholder(EncodedImage)
}

final class ReadyImage: Sendable {
  let heads: ReadyHeads
  let body: ByteBuffer
  let url: String
  let key: String
  /// Seconds of age when it was made.
  private let age: Int
  private let since: UInt64
  /// Until when it is sent, on the memory tier's clock.
  let end: UInt64

  /// `age` and `lifetime` are in seconds; `now` is the time on the memory tier's clock.
  init?(
    url: String, key: String, _ answer: HTTPFields, body: ByteBuffer, age: Double, lifetime: Double,
    now: UInt64
  ) {
    guard let heads = ReadyHeads(answer, byteCount: body.readableBytes) else { return nil }
    self.heads = heads
    self.body = body
    self.url = url
    self.key = key
    self.age = max(0, Int(age))
    since = now
    end = now + UInt64(max(0, lifetime) * 1e9)
  }

  private init(copying other: ReadyImage) {
    heads = other.heads.copied()
    body = ByteBuffer(bytes: other.body.readableBytesView)
    url = String(decoding: Array(other.url.utf8), as: UTF8.self)
    key = String(decoding: Array(other.key.utf8), as: UTF8.self)
    (age, since, end) = (other.age, other.since, other.end)
  }

  /// The same in memory of its own.
  func copied() -> ReadyImage { ReadyImage(copying: self) }

  /// The bytes that it takes, about.
  var cost: Int { body.readableBytes + 2048 }

  func hit(isKnown: Bool, at now: UInt64) -> Hit {
    Hit(
      heads, isKnown: isKnown, age: age + Int((now - min(now, since)) / 1_000_000_000),
      source: .memory)
  }
}

extension ResponseCache {
  /// The maximum bytes of a body; larger ones are read from their file.
  static var maximumBodyByteCount: Int { 1 << 20 }

  /// The response to a target below a path; `nil` for a miss, and for a target that is not that of
  /// an image, which does not count as one.
  func response(
    to target: String, under prefix: String = "", accepting: () -> ContentNegotiation
  ) -> ReadyImage? {
    guard target.hasPrefix("/thumb") || target.hasPrefix("/image"),
      case .ready(let response)? = value(for: Self.key(target, under: prefix, accepting))
    else { return nil }
    return response
  }

  /// The key of a target, and of what the client accepts if the format is negotiated. The path that
  /// it is below is part of it, because that is signed as well.
  static func key(
    _ target: String, under prefix: String, _ accepting: () -> ContentNegotiation
  ) -> MemoryKey {
    MemoryKey(
      TargetKey(
        target: ExactString(prefix + target), accepted: isNegotiated(target) ? accepting() : nil))
  }

  /// Whether the format is negotiated: a thumbnail without `format`, or with `format=auto`.
  ///
  /// Only an unencoded `format=` with an unencoded value counts as not negotiated: a
  /// percent-encoded value may spell `auto`, and a repeated key is refused. If this errs (a preset
  /// that names a format), a response is only stored once for each kind of client.
  static func isNegotiated(_ target: String) -> Bool {
    var target = target
    return target.withUTF8 { bytes in
      guard bytes.starts(with: "/thumb".utf8) else { return false }
      var rest = UnsafeRawBufferPointer(bytes)
      while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
        rest = UnsafeRawBufferPointer(rebasing: rest[(mark + 1)...])
        guard rest.starts(with: TargetKey.format) else { continue }
        let value = rest.dropFirst(TargetKey.format.count).prefix { $0 != UInt8(ascii: "&") }
        return value.elementsEqual(TargetKey.auto) || value.contains(UInt8(ascii: "%"))
      }
      return true
    }
  }
}

private struct TargetKey: Hashable {
  let target: ExactString
  let accepted: ContentNegotiation?

  static let format = Array("format=".utf8)
  static let auto = Array("auto".utf8)
}
