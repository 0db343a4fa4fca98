import CachePolicies
import DiskCaching
import Foundation
import HTTPTypes
import ImageModel
import NIOCore
import Testing

@testable import HTTPListening
@testable import ThumbnailServer
@testable import TestSupport

/// The responses of the server that are in memory, and what removes them.
@Suite struct `Responses in the memory of the server` {
  private let directory = TemporaryDirectory()
  private let nanoseconds = Locked<UInt64>(0)
  private let disk: DiskCache

  init() throws {
    disk = try DiskCache(DiskCache.Configuration(directory: directory.path("cache")))
  }

  private func memory(maximumLifetime: Duration? = nil) -> ResponseMemory {
    var configuration = MemoryCacheConfiguration()
    configuration.clock = { [nanoseconds] in nanoseconds.withLock { $0 } }
    return ResponseMemory(configuration, disk: disk, maximumLifetime: maximumLifetime)
  }

  private func advance(by seconds: Double) {
    nanoseconds.withLock { $0 += UInt64(seconds * 1e9) }
  }

  private func ready(
    _ url: String = "http://a.test/1", byteCount: Int = 4, age: Double = 0,
    lifetime: Double = 1000, fields: HTTPFields = [.eTag: "\"1\""]
  ) throws -> ReadyImage {
    try #require(
      ReadyImage(
        url: url, key: "k", fields, body: ByteBuffer(repeating: 7, count: byteCount), age: age,
        lifetime: lifetime, now: nanoseconds.withLock { $0 }))
  }

  private static let target = "/image?url=a"

  private func has(
    _ memory: ResponseMemory, _ target: String = target, _ accepted: ContentNegotiation = .any
  ) -> Bool {
    memory.cache.response(to: target) { accepted } != nil
  }

  private func insert(
    _ response: ReadyImage, in memory: ResponseMemory, for target: String = target,
    _ accepted: ContentNegotiation = .any, begun epoch: UInt64? = nil
  ) {
    memory.insert(response, for: target, accepting: accepted, begun: epoch ?? memory.epoch)
  }

  // MARK: Lifetime

  @Test(
    arguments: [
      (nil, 1000, 60), (nil, 5, 5), (Duration.seconds(2), 1000, 2), (.seconds(2), 1, 1),
      (.seconds(600), 1000, 60),
    ] as [(Duration?, Double, Double)])
  func `are there for a minute at most, or for less if they are stale sooner`(
    maximum: Duration?, lifetime: Double, expected: Double
  ) throws {
    let memory = memory(maximumLifetime: maximum)
    insert(try ready(lifetime: memory.lifetime(of: lifetime)), in: memory)

    advance(by: expected - 0.01)
    #expect(has(memory))
    advance(by: 0.02)
    #expect(!has(memory))
  }

  @Test func `have at most a mebibyte, and are not stale`() throws {
    let memory = memory()
    insert(try ready(byteCount: 1 << 20), in: memory, for: "/image?url=a")
    insert(try ready(byteCount: 1 << 20 + 1), in: memory, for: "/image?url=b")
    for (name, lifetime) in [("c", 0.0), ("d", -1)] {
      insert(try ready(lifetime: lifetime), in: memory, for: "/image?url=\(name)")
    }

    #expect(
      ["a", "b", "c", "d"].map { has(memory, "/image?url=\($0)") } == [true, false, false, false])
  }

  @Test func `are for one target, byte for byte, and one kind of client`() throws {
    let memory = memory()
    insert(try ready(), in: memory, for: "/image?url=é")
    insert(try ready(), in: memory, for: "/thumb?url=a&w=1", .webp)
    insert(try ready(), in: memory, for: "/thumb?url=a&w=1&format=png", .webp)

    #expect(has(memory, "/image?url=é"))
    for other in ["/image?url=e\u{301}", "/image?url=%C3%A9", "/image?url=é&", "/IMAGE?url=é"] {
      #expect(!has(memory, other), "\(other)")
    }
    // Where the format is negotiated.
    #expect(has(memory, "/thumb?url=a&w=1", .webp))
    #expect(!has(memory, "/thumb?url=a&w=1", .any))
    for accepted in ContentNegotiation.allCases {
      #expect(has(memory, "/thumb?url=a&w=1&format=png", accepted))
    }
    // Targets of other routes count as no miss.
    insert(try ready(), in: memory, for: "/days?x")
    let count = memory.cache.statistics.missCount
    #expect(!has(memory, "/days?x") && memory.cache.statistics.missCount == count)
    #expect(!has(memory, "/image?url=missing"))
    #expect(memory.cache.statistics.missCount == count + 1)
  }

  // MARK: Removal

  @Test func `are gone when all are forgotten, and those begun before stay away`() throws {
    let memory = memory()
    let epoch = memory.epoch
    insert(try ready(), in: memory)

    memory.forgetAll()

    #expect(!has(memory) && memory.epoch != epoch)
    insert(try ready(), in: memory, begun: epoch)
    #expect(!has(memory))
    insert(try ready(), in: memory)
    #expect(has(memory))
  }

  // MARK: Heads

  private func head(
    _ response: ReadyImage, isKnown: Bool = false, after seconds: Double = 0,
    connection: String? = nil
  ) -> [String] {
    let hit = response.hit(isKnown: isKnown, at: UInt64(seconds * 1e9))
    return String(
      buffer: hit.heads.head(
        isKnown: isKnown, age: hit.age, lifetime: hit.lifetime, date: "now",
        connection: connection, ByteBufferAllocator())
    ).components(separatedBy: "\r\n")
  }

  private static let fields: HTTPFields = [
    .eTag: "\"1\"", .contentType: "image/png", .cacheControl: "max-age=9", .age: "77",
    .date: "then",
  ]

  @Test func `have the age and date of the moment, no content for one that has it`() throws {
    let response = try ready(age: 3.9, fields: Self.fields)
    #expect(
      head(response, after: 2.5) == [
        "HTTP/1.1 200 OK", "ETag: \"1\"", "Content-Type: image/png", "Cache-Control: max-age=9",
        "Content-Length: 4", "Age: 5", "Date: now", "", "",
      ])
    #expect(head(response, connection: "close").suffix(3) == ["Connection: close", "", ""])
    #expect(
      head(try ready(fields: Self.fields), isKnown: true) == [
        "HTTP/1.1 304 Not Modified", "ETag: \"1\"", "Cache-Control: max-age=9", "Age: 0",
        "Date: now", "", "",
      ])
    // Where clocks go back.
    advance(by: 100)
    #expect(head(try ready(age: -5), after: 50).contains("Age: 0"))
    // Without an entity tag.
    let untagged = ReadyImage(
      url: "u", key: "k", [:], body: ByteBuffer(), age: 0, lifetime: 1, now: 0)
    #expect(untagged == nil)
  }
}
