import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import CachingProxy
@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel
@testable import SharedCaching
@testable import TestSupport

/// Values in the shared tier, and records on disk, that no server of this program has written.
@Suite struct `A stored value out of bounds` {
  private static let generation = TierGeneration.random()

  private static func value(
    _ status: Int = 200, _ fields: HTTPFields = [.contentType: "text/plain"]
  ) -> TierValue {
    var fields = fields
    fields[.cacheControl] = "max-age=600"
    let now = Date()
    let response = StoredResponse(
      status: status, fields: fields, requestTime: now, responseTime: now)
    return TierValue(
      response: response, body: Array("planted".utf8), freshUntil: now + 600, staleUntil: now + 600)
  }

  /// The bytes of a value with a field whose line is replaced by another one of the same length.
  private static func bytes(withLine line: String) -> ByteBuffer {
    let filler = String(repeating: "z", count: line.utf8.count - 5)
    guard let name = HTTPField.Name("x-a") else { return ByteBuffer() }
    var bytes = TierValueCoding.encode(value(200, [name: filler]), generation)
    let written = Array("x-a: \(filler)".utf8)
    let view = bytes.readableBytesView
    let place = view.indices.first { view[$0...].starts(with: written) }
    bytes.setString(line, at: place ?? 0)
    seal(&bytes)
    return bytes
  }

  /// The bytes of a value with other bytes in place of its media type, which has as many.
  private static func bytes(withMediaType type: String) -> ByteBuffer {
    let filler = String(repeating: "z", count: type.utf8.count)
    var bytes = TierValueCoding.encode(value(200, [.contentType: filler]), generation)
    bytes.setString(type, at: TierValueCoding.headerByteCount)
    seal(&bytes)
    return bytes
  }

  /// Makes the checksum right.
  private static func seal(_ bytes: inout ByteBuffer) {
    bytes.setInteger(0 as UInt32, at: 12)
    let sum = bytes.withUnsafeReadableBytes { CRC32C.checksum(of: $0) }
    bytes.setInteger(sum, at: 12, endianness: .little)
  }

  private static let statuses = [
    0, 1, 99, 100, 101, 102, 103, 199, 206, 304, 600, 999, 1000, 65_535,
  ]

  private static let lines = [
    "transfer-encoding: chunked", "connection: close", "upgrade: h2c", "keep-alive: 5",
    "x-a: a\rx-b: c", "x-a: \0abc", "x a: abcd", "x(a): abcd", ": abcdefg", "x-a:abcdef",
    "no colon at all", "content-type: a\r", "imgcache-x: a\r", "imgcache-x y: a",
    "imgcache-connection: a",
  ]

  @Test func `by its status, its media type or its header is damaged`() throws {
    let name = try #require(HTTPField.Name("x-a"))
    let long = Self.value(200, [name: String(repeating: "z", count: 1 << 20)])
    let damaged =
      Self.statuses.map { TierValueCoding.encode(Self.value($0), Self.generation) }
      + Self.lines.map { Self.bytes(withLine: $0) }
      + ["a\r\nx-b: c", "a\0b", "a\nb", "\u{1}ab"].map { Self.bytes(withMediaType: $0) }
      + [TierValueCoding.encode(long, Self.generation)]
    for bytes in damaged {
      #expect(throws: TierValueCoding.Fault.damaged, "\(bytes)") {
        try TierValueCoding.decode(bytes)
      }
    }
    for status in [200, 203, 204, 301, 404, 410, 500, 599] {
      let bytes = TierValueCoding.encode(Self.value(status), Self.generation)
      #expect(try TierValueCoding.decode(bytes).value.response.status == status)
    }
  }

  @Test(
    arguments: [0, 101, 206, 304, 999].map { TierValueCoding.encode(value($0), generation) }
      + lines.map { bytes(withLine: $0) })
  func `is a miss for a proxy, which removes it and asks the origin`(
    bytes: ByteBuffer
  ) async throws {
    let tier = try await TierFixture()
    let origin = try FaultyOrigin(["/a": [.text("true", fields: ["Cache-Control: no-store"])]])
    let proxy = try await ProxyFixture(origin: origin.url(""), clock: ManualClock(Date())) {
      $0.sharedTier = tier.tier
    }
    let key = TierKey(url: origin.url("/a"))
    let name = tier.name(tier.tier.names.value(key))
    tier.redis[tier.name(tier.tier.names.generation(key))] =
      ByteBuffer(string: Self.generation.text)
    tier.redis[name] = bytes

    let answer = try await OffPool.run { try proxy.get("/a") }
    await tier.tier.finishWriting()
    try await proxy.stop()

    #expect(answer.status == 200 && answer.text == "true")
    #expect(tier.redis[name] == nil)
    #expect(tier.tier.statistics.damages > 0)
  }

  @Test(arguments: [100, 101, 103, 199, 600, 999])
  func `by its status is not written to the tier`(status: Int) async throws {
    let tier = try await TierFixture()

    tier.tier.write(Self.value(status), for: tier.key, Self.generation)
    await tier.tier.finishWriting()

    #expect(tier.redis[tier.valueName] == nil)
    #expect(tier.tier.statistics.writes + tier.tier.statistics.failedWrites == 0)
  }

  @Test func `on disk is not sent by a proxy that uses private entries`() async throws {
    let paths = Self.statuses.map { "/\($0)" }
    let storage = try ProxyStorage(.disk)
    let (proxy, origin) = try await ProxyFixture.start(
      Dictionary(uniqueKeysWithValues: paths.map { ($0, [.text("true")]) }), storage,
      serving: { $0.usesPrivateEntries = true })
    for (path, status) in zip(paths, Self.statuses) {
      var record = CacheRecord(key: .original(url: origin.url(path)), at: storage.clock.now)
      record.status = status
      record.headers = HeaderText([.cacheControl: "public, max-age=1000"])
      try await storage.cache?.store(Array("planted".utf8), record)
    }

    // A part, and a 304 that was stored, are what their statuses say.
    for path in paths where path != "/206" && path != "/304" {
      let answer = try proxy.get(path)
      #expect(answer.status == 200 && answer.text == "true", "\(path)")
    }
  }

  @Test func `on disk frames no message by its fields`() {
    let text = "transfer-encoding: chunked\nconnection: close\nx-a: 1\nx-b: a\rb\n"

    let fields = HeaderText(text: text).fields

    #expect(fields.map(\.name.canonicalName) == ["x-a", "x-b"])
    #expect(fields[values: fields[1].name] == ["a b"])
  }
}
