import HTTPTypes
import ImagePipeline
import NIOCore

/// An answer that can be sent again as it is, but for its date and age: its head stands ready in
/// the words of the wire.
final class HotAnswer: Sendable {
  let body: ByteBuffer
  /// Of a 200, up to where `Age` and `Date` come.
  private let head: ByteBuffer
  /// The same for a 304.
  private let headOfNotModified: ByteBuffer
  let entityTag: String
  /// Names the picture in a trace of accesses.
  let key: String
  /// Seconds of age when it was put here.
  private let age: Int
  private let since: UInt64
  private let end: UInt64

  /// - Parameters:
  ///   - key: Names the picture in a trace of accesses.
  ///   - answer: The whole answer to a `GET` without conditions.
  ///   - age: Its age now, in seconds.
  ///   - lifetime: Seconds for which it may be sent without another look.
  ///   - now: Nanoseconds of the clock that all of these are asked by.
  init?(
    key: String, _ answer: HTTPFields, body: ByteBuffer, age: Double, lifetime: Double, now: UInt64
  ) {
    guard let tag = answer[.eTag], lifetime > 0 else { return nil }
    var (head, short) = ("HTTP/1.1 200 OK\r\n", "HTTP/1.1 304 Not Modified\r\n")
    for field in answer where field.name != .date && field.name != .age {
      let line = "\(field.name.rawName): \(field.value)\r\n"
      head += line
      if ![.contentType, .contentLength, .contentEncoding].contains(field.name) { short += line }
    }
    head += "Content-Length: \(body.readableBytes)\r\n"
    self.head = ByteBuffer(string: head)
    headOfNotModified = ByteBuffer(string: short)
    self.body = body
    self.key = key
    entityTag = tag
    self.age = max(0, Int(age))
    since = now
    end = now + UInt64(min(lifetime, 1e9) * 1e9)
  }

  func isValid(at now: UInt64) -> Bool { now < end }

  /// The whole head.
  ///
  /// - Parameters:
  ///   - isKnown: Whether the client has the answer already: then it is a 304.
  ///   - date: The value of `Date`.
  ///   - connection: The value of `Connection`, where it is to be said.
  func head(
    isKnown: Bool, at now: UInt64, date: String, connection: String?,
    _ allocator: ByteBufferAllocator
  ) -> ByteBuffer {
    let fixed = isKnown ? headOfNotModified : head
    var head = allocator.buffer(capacity: fixed.readableBytes + 96)
    head.writeImmutableBuffer(fixed)
    head.writeStaticString("Age: ")
    head.writeString(String(age + Int((now - min(now, since)) / 1_000_000_000)))
    head.writeStaticString("\r\nDate: ")
    head.writeString(date)
    if let connection {
      head.writeStaticString("\r\nConnection: ")
      head.writeString(connection)
    }
    head.writeStaticString("\r\n\r\n")
    return head
  }

  /// What it costs to keep.
  var byteCount: Int { body.readableBytes + 2048 }
}

/// The answers that are asked for most, encoded and ready, by the very target they were asked with.
///
/// An entry is believed for a minute at most, then the disk is asked again: so that what another
/// process removed or refreshed shows, and the disk hears of the use.
final class HotAnswers: Sendable {
  private struct Name: Hashable {
    let target: String
    let accepted: ContentNegotiation?
  }
  private let memory: MemoryCache<HotAnswer>
  private let told = Locked((hits: 0, misses: 0))
  let clock: @Sendable () -> UInt64

  /// The longest that an entry is sent without a look at the disk.
  static let longestBelief = 60.0
  /// What takes more of the memory is better read from its file.
  static let largestBody = 1 << 20

  init(_ configuration: MemoryCacheConfiguration) {
    memory = MemoryCache(configuration)
    clock = configuration.clock
  }

  var statistics: MemoryStatistics { memory.statistics }
  var byteCount: Int { memory.byteCount }
  var count: Int { memory.count }

  /// The answer to a target, where it may be sent now.
  func answer(_ target: String, accepting: () -> ContentNegotiation, at now: UInt64) -> HotAnswer? {
    guard Self.isPicture(target), let answer = memory.value(for: Self.key(target, accepting)),
      answer.isValid(at: now)
    else { return nil }
    return answer
  }

  /// Keeps an answer.
  func keep(_ answer: HotAnswer, for target: String, accepting: () -> ContentNegotiation) {
    guard answer.body.readableBytes <= Self.largestBody else { return }
    memory.insert(answer, for: Self.key(target, accepting), byteCount: answer.byteCount)
  }

  func removeAll() { memory.removeAll() }

  /// Adds the hits and misses since the last time to those that a cache directory counts.
  func tell(_ cache: DiskCache) {
    told.withLock { told in
      let now = memory.statistics
      cache.count(.memoryHits, by: now.hitCount - told.hits)
      cache.count(.memoryMisses, by: now.missCount - told.misses)
      told = (now.hitCount, now.missCount)
    }
  }

  /// Whether a target can be that of a picture: what else is asked for is no miss.
  private static func isPicture(_ target: String) -> Bool {
    target.hasPrefix("/thumb") || target.hasPrefix("/image")
  }

  /// What a client accepts tells answers apart only where it had a say.
  private static func key(_ target: String, _ accepting: () -> ContentNegotiation) -> MemoryKey {
    MemoryKey(Name(target: target, accepted: isNegotiated(target) ? accepting() : nil))
  }

  /// Whether the format is left open: a thumbnail without `format`, or with `format=auto`.
  ///
  /// Only a plain `format=` with a plain value says that it is not: what is percent-encoded may
  /// spell `auto`, and what comes twice is refused. Where this errs (a preset that names a format),
  /// an answer is only kept once for each kind of client.
  static func isNegotiated(_ target: String) -> Bool {
    var target = target
    return target.withUTF8 { bytes in
      guard bytes.starts(with: "/thumb".utf8) else { return false }
      var rest = UnsafeRawBufferPointer(bytes)
      while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
        rest = UnsafeRawBufferPointer(rebasing: rest[(mark + 1)...])
        guard rest.starts(with: Self.format) else { continue }
        let value = rest.dropFirst(Self.format.count).prefix { $0 != UInt8(ascii: "&") }
        return value.elementsEqual(Self.open) || value.contains(UInt8(ascii: "%"))
      }
      return true
    }
  }

  private static let format = Array("format=".utf8)
  private static let open = Array("auto".utf8)
}
