import HTTPTypes
import NIOCore
import Testing

@testable import CachePolicies
@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport
@testable import ThumbnailServer

@Suite struct `The copies of an event loop` {
  private let nanoseconds = Locked<UInt64>(1_000_000_000)
  private let scratch: Scratch
  private let memory: ResponseMemory

  init() throws {
    scratch = try Scratch()
    var configuration = MemoryCacheConfiguration()
    configuration.maximumByteCount = 8 << 20
    configuration.clock = { [nanoseconds] in nanoseconds.withLock { $0 } }
    memory = ResponseMemory(
      configuration, disk: try DiskCache(DiskCache.Configuration(directory: scratch / "c")),
      loopCount: 20)
  }

  private func ready(byteCount: Int = 4, lifetime: Double = 60) throws -> ReadyImage {
    try #require(
      ReadyImage(
        url: "http://a.test/1", key: "k", [.eTag: "\"1\""],
        body: ByteBuffer(repeating: 7, count: byteCount), age: 0, lifetime: lifetime,
        now: memory.clock()))
  }

  private func insert(_ response: ReadyImage, for name: String = "a") {
    memory.insert(response, for: "/image?url=\(name)", accepting: .any, begun: memory.epoch)
  }

  private func answer(_ loop: LoopResponses, _ name: String = "a") -> ReadyImage? {
    loop.response(to: "/image?url=\(name)", under: "", accepting: .any, at: memory.clock())
  }

  private func loop() -> LoopResponses { LoopResponses(of: memory) }

  /// The copy of a response, which is made when it is asked for again.
  private func copy(_ loop: LoopResponses, _ name: String = "a") -> ReadyImage? {
    _ = answer(loop, name)
    return answer(loop, name)
  }

  @Test func `are made of what is asked for again, for each loop its own`() throws {
    let original = try ready(byteCount: 3000)
    insert(original)
    let loops = [loop(), loop()]

    #expect(answer(loops[0]) === original)
    let copies = loops.map { copy($0) }

    let first = try #require(copies[0])
    #expect(first !== original && first !== copies[1])
    #expect(first.body == original.body && first.heads.entityTag == "\"1\"")
    #expect(first.hit(isKnown: false, at: memory.clock()).age == 0)
    #expect(answer(loops[0]) === first)
    #expect(answer(loops[0], "other") == nil)
  }

  @Test func `count as look-ups of the memory tier`() throws {
    insert(try ready())
    let loop = loop()
    for _ in 0..<10 { _ = answer(loop) }
    _ = answer(loop, "other")

    #expect(memory.statistics.hitCount == 10 && memory.statistics.missCount == 1)
    #expect(memory.cache.statistics.hitCount == 2)
  }

  @Test func `are not used once something was forgotten or replaced`() throws {
    let loop = loop()
    insert(try ready())
    let first = copy(loop)
    insert(try ready(byteCount: 5))
    #expect(first?.body.readableBytes == 4 && answer(loop)?.body.readableBytes == 5)

    memory.forgetAll()
    #expect(answer(loop) == nil)
  }

  @Test func `last for a second, and not longer than their response`() throws {
    let loop = loop()
    insert(try ready(lifetime: 2.5))
    let first = copy(loop)
    let before = memory.cache.statistics.hitCount
    nanoseconds.withLock { $0 += 999_999_999 }
    #expect(answer(loop) === first && memory.cache.statistics.hitCount == before)
    nanoseconds.withLock { $0 += 1 }
    #expect(answer(loop) === first && memory.cache.statistics.hitCount == before + 1)
    nanoseconds.withLock { $0 += 1_000_000_000 }
    #expect(answer(loop) === first && memory.cache.statistics.hitCount == before + 2)
    nanoseconds.withLock { $0 += 499_999_999 }
    #expect(answer(loop) === first)
    nanoseconds.withLock { $0 += 1 }
    #expect(answer(loop) == nil)
  }

  @Test func `are of bodies up to 64 KiB, and together of few bytes`() throws {
    let loop = loop()
    let original = try ready(byteCount: (64 << 10) + 1)
    insert(original, for: "large")
    #expect(copy(loop, "large") === original)

    let names = (0..<40).map { "\($0)" }
    for name in names { insert(try ready(byteCount: 8 << 10), for: name) }
    for name in names { #expect(copy(loop, name)?.body.readableBytes == 8 << 10) }
    let most = memory.loopByteCount
    #expect(most == 8 << 20 / 4 / 20 && loop.byteCount <= most && loop.byteCount > most - 11_000)
    // What was not sent for a second makes room.
    nanoseconds.withLock { $0 += 1_000_000_000 }
    let last = copy(loop, "39")
    #expect(last != nil && answer(loop, "39") === last)
    #expect(loop.byteCount <= most && loop.byteCount < 20_000)
  }

  @Test func `take their bytes from those of the tier`() throws {
    let large = try ready(byteCount: 1 << 20)
    for number in 0..<8 { insert(large, for: "\(number)") }
    #expect(memory.cache.byteCount + 20 * memory.loopByteCount <= 8 << 20)
    #expect(memory.cache.count == 5)
  }
}
