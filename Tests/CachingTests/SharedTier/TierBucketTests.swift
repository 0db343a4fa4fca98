import Foundation
import NIOCore
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import SharedCaching
@testable import TestSupport

@Suite struct `The object store behind a shared tier` {
  private let objects = StubObjects()
  private let source = TierKey(url: "https://example.org/a.jpg")

  private func fixture(
    _ change: (inout SharedTier.Configuration) -> Void = { _ in }
  ) async throws -> TierFixture {
    try await TierFixture {
      $0.objects = objects
      $0.maximumBodyByteCount = 8
      change(&$0)
    }
  }

  /// Takes the lock and writes.
  @discardableResult
  private func fill(
    _ key: TierKey, _ text: String, _ fixture: TierFixture
  ) async throws -> TierLock {
    let lock = try #require(try await fixture.tier.turn(for: key).lock)
    fixture.tier.write(fixture.value(text), for: key, lock.generation, lock: lock)
    await fixture.tier.finishWriting()
    return lock
  }

  private func objectName(_ fixture: TierFixture) -> String { fixture.tier.names.object(source) }

  @Test(arguments: [(true, "", false), (true, "1", true), (false, "12345678", false)])
  func `has sources with a body, and variants above the limit of the servers`(
    isSource: Bool, text: String, isObject: Bool
  ) async throws {
    let fixture = try await fixture()
    let key = isSource ? source : fixture.key
    try await fill(key, text, fixture)

    #expect(objects.objects.keys.sorted() == (isObject ? [fixture.tier.names.object(key)] : []))
    #expect(await fixture.tier.read(key).text == text)
  }

  @Test func `has a large variant, to which the servers have a pointer of the same lifetime`()
    async throws
  {
    let fixture = try await fixture()
    try await fill(fixture.key, "123456789", fixture)
    let pointer = try TierValueCoding.decode(try #require(fixture.redis[fixture.valueName]))

    #expect(pointer.isPointer)
    #expect(pointer.value.body.isEmpty)
    #expect(fixture.redis.lifetime(of: fixture.valueName) == 120_000)
    #expect(await fixture.tier.read(fixture.key).text == "123456789")
    #expect(fixture.tier.statistics.objectWrites == 1)
    // It is not read for a value that is of no use to the caller.
    #expect(await fixture.tier.read(fixture.key, { _ in false }).text == "miss")
    #expect(fixture.tier.statistics.objectReads == 1)
  }

  @Test func `refuses values above its own limit`() async throws {
    let fixture = try await fixture { $0.maximumObjectByteCount = 9 }
    #expect(fixture.tier.maximumBodyByteCount == 9)
    try await fill(fixture.key, "1234567890", fixture)

    #expect(objects.calls.isEmpty)
    #expect(fixture.redis.keys == [fixture.generationName])
  }

  @Test func `that fails to take a value leaves no pointer, no lock and no half of it`()
    async throws
  {
    let fixture = try await fixture()
    objects.fail(["put"])
    try await fill(source, "source", fixture)
    let name = objectName(fixture)

    #expect(fixture.redis.keys == [fixture.generationName])
    #expect(objects.calls.suffix(2) == ["put \(name)", "delete \(name)"])
    #expect(fixture.tier.statistics.failedWrites == 1)
    #expect(fixture.tier.statistics.objectErrors == 1)
  }

  @Test func `loses a value that was purged while it was being written`() async throws {
    let fixture = try await fixture()
    let lock = try #require(try await fixture.tier.turn(for: source).lock)
    fixture.redis[fixture.generationName] = ByteBuffer(
      string: TierGeneration.random(isOfPurge: true).text)
    fixture.tier.write(fixture.value("source"), for: source, lock.generation, lock: lock)
    await fixture.tier.finishWriting()

    #expect(objects.objects.isEmpty)
  }

  @Test(arguments: ["missing", "damaged", "foreign", "pointer", "other", "failing"])
  func `costs a miss where an object is`(_ what: String) async throws {
    let fixture = try await fixture()
    let lock = try await fill(source, "source", fixture)
    let name = objectName(fixture)
    var other = fixture.value("other!")
    other.response.responseTime += 5
    switch what {
    case "missing": objects[name] = nil
    case "damaged": objects[name]?[66] ^= 1
    case "foreign": objects[name]?[4] = 3
    case "pointer":
      let pointer = TierValueCoding.encode(other, lock.generation, isPointer: true)
      objects[name] = Array(pointer.readableBytesView)
    case "other":
      // By a writer that held the lock before: the pointer is of another response.
      objects[name] = Array(TierValueCoding.encode(other, lock.generation).readableBytesView)
    default: objects.fail(["get"])
    }

    #expect(await fixture.tier.read(source).text == "miss")
    #expect(fixture.tier.statistics.damages == (what == "damaged" ? 1 : 0))
  }

  @Test(arguments: [false, true])
  func `gives a source back to servers that have lost everything, unless it was purged`(
    isPurged: Bool
  ) async throws {
    let fixture = try await fixture()
    try await fill(source, "source", fixture)
    for key in fixture.redis.keys { fixture.redis[key] = nil }
    if isPurged {
      // As a purge whose deletion has not arrived yet.
      fixture.redis[fixture.generationName] = ByteBuffer(
        string: TierGeneration.random(isOfPurge: true).text)
    }

    let turn = try await fixture.tier.turn(for: source)
    #expect(turn.text == (isPurged ? "make" : "use source"))
    await fixture.tier.finishWriting()
    #expect((fixture.redis[fixture.name(fixture.tier.names.lock(source))] == nil) == !isPurged)
    #expect(await fixture.tier.read(source).text == (isPurged ? "miss" : "source"))
  }

  @Test func `is not called while it fails, and again after a pause`() async throws {
    let fixture = try await fixture()
    try await fill(source, "source", fixture)
    // Callers that have cancelled do not count.
    objects.fail(["get"], with: CancellationError())
    for _ in 0..<5 { #expect(await fixture.tier.read(source).text == "miss") }
    #expect(fixture.tier.statistics.objectErrors == 0)
    let before = objects.calls.count { $0.hasPrefix("get") }
    objects.fail(["get"])
    for _ in 0..<5 { #expect(await fixture.tier.read(source).text == "miss") }
    let calls = objects.calls.count { $0.hasPrefix("get") } - before
    objects.fail([])

    #expect(await fixture.tier.read(source).text == "miss")
    fixture.elapsed.advance(by: .milliseconds(250))
    #expect(await fixture.tier.read(source).text == "source")
    // Three failures in a row.
    #expect(calls == 3)
    #expect(fixture.tier.statistics.objectErrors == 6)
    // The servers have a breaker of their own.
    #expect(!fixture.tier.isSuspended)
    #expect(fixture.tier.statistics.skipped == 0)
  }

  @Test func `that cannot delete leaves a purge to be tried again, under one new generation`()
    async throws
  {
    let fixture = try await fixture()
    try await fill(source, "source", fixture)
    objects.fail(["delete"])
    let gate = Gate()
    fixture.duringWaits { _ in await gate.wait() }
    let failure = await #expect(throws: TierPurgeFailure.self) {
      try await fixture.tier.purge(TierPurge(urls: [source.url.text], time: fixture.clock.now))
    }
    let generation = fixture.generation

    #expect(failure?.isRetried == true)
    #expect(failure?.description.contains("507 no space") == true)
    #expect(generation?.isOfPurge == true)
    #expect(fixture.tier.waitingPurgeCount == 1)
    objects.fail([])
    gate.open()
    await Condition.until { fixture.tier.waitingPurgeCount == 0 }
    #expect(objects.objects.isEmpty)
    // What was fetched since the purge is kept.
    #expect(fixture.generation == generation)
  }
}
