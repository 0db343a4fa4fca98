import Foundation
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import SharedCaching
@testable import TestSupport

@Suite struct `A purge of the shared tier` {
  @Test func `sets a generation of its own, and names the source to the other servers`()
    async throws
  {
    let fixture = try await TierFixture()
    fixture.put(fixture.value("a"))
    let former = fixture.generation
    let url = fixture.key.url.text
    try await fixture.purge(TierPurge(urls: [url], time: fixture.clock.now))

    #expect(fixture.generation != former)
    #expect(fixture.generation?.isOfPurge == true)
    #expect(fixture.redis.lifetime(of: fixture.generationName) == 30 * 86_400_000)
    #expect(await fixture.tier.read(fixture.key).text == "miss")
    #expect(fixture.redis.messages == ["\(fixture.tier.sender) 1592300000000\nurl \(url)"])
  }

  @Test func `is published in messages of at most 100 names`() async throws {
    let fixture = try await TierFixture { $0.namespace = "blue" }
    let urls = (0..<201).map { "https://example.org/\($0).jpg" }
    try await fixture.purge(TierPurge(urls: urls, tags: ["day"], time: fixture.clock.now))
    let names = fixture.redis.messages.map { message in
      message.split(separator: "\n").dropFirst().map(String.init)
    }

    #expect(names.allSatisfy { $0.count <= 100 })
    #expect(names.count >= 3)
    #expect(fixture.redis.commands.last?[1] == "ic1:inv:blue")
    #expect(names.flatMap { $0 }.sorted() == (urls.map { "url \($0)" } + ["tag day"]).sorted())
  }

  @Test(arguments: ["a\nurl b", "a\rb", "a\r\nurl b"])
  func `of a name with a line break is written, and in no message`(name: String) async throws {
    let fixture = try await TierFixture()
    try await fixture.purge(TierPurge(urls: [name, "c"], time: fixture.clock.now))
    let generation = fixture.name(fixture.tier.names.generation(TierKey(url: name)))

    #expect(fixture.redis.keys.contains(generation))
    #expect(fixture.redis.messages == ["\(fixture.tier.sender) 1592300000000\nurl c"])
  }

  @Test func `that servers refuse has no effect there, but values no longer count here`()
    async throws
  {
    let fixture = try await TierFixture()
    fixture.put(fixture.value("a"))
    let gate = Gate()
    fixture.duringWaits { _ in await gate.wait() }
    fixture.redis.fail { words in
      words[0] == "SET" ? .reply("-READONLY You can't write against a read only replica.\r\n") : nil
    }
    let purge = TierPurge(urls: [fixture.key.url.text], time: fixture.clock.now)
    let failure = await #expect(throws: TierPurgeFailure.self) {
      try await fixture.tier.purge(purge)
    }

    #expect(failure?.isRetried == true)
    #expect(failure?.description.contains("READONLY") == true)
    #expect(fixture.redis.messages == [])
    #expect(await fixture.tier.read(fixture.key).text == "miss")
    fixture.redis.fail { _ in nil }
    gate.open()
    await Condition.until { fixture.tier.waitingPurgeCount == 0 }
    #expect(fixture.generation?.isOfPurge == true)
    #expect(fixture.redis.messages.count == 1)
    #expect(fixture.pauses.first == .seconds(1))
    fixture.put(fixture.value("b"))
    #expect(await fixture.tier.read(fixture.key).text == "b")
  }

  @Test(arguments: [false, true])
  func `is written in part where a source or the list fails, and only the rest is repeated`(
    isList: Bool
  ) async throws {
    let fixture = try await TierFixture()
    let gate = Gate()
    fixture.duringWaits { _ in await gate.wait() }
    let failing = fixture.generationName
    fixture.redis.fail { words in
      let isFailing = isList ? words[0] == "EVALSHA" : words[0] == "SET" && words[1] == failing
      return isFailing ? .reply("-ERR not now\r\n") : nil
    }
    let urls = ["https://example.org/other", fixture.key.url.text]
    let purge = TierPurge(urls: urls, tags: ["day"], time: fixture.clock.now)
    await #expect(throws: TierPurgeFailure.self) { try await fixture.tier.purge(purge) }

    let head = "\(fixture.tier.sender) 1592300000000\n"
    let done = isList ? "url \(urls[0])\nurl \(urls[1])" : "url \(urls[0])\ntag day"
    #expect(fixture.redis.messages == [head + done])
    fixture.redis.fail { _ in nil }
    gate.open()
    await Condition.until { fixture.tier.waitingPurgeCount == 0 }
    #expect(fixture.redis.messages.last == head + (isList ? "tag day" : "url \(urls[1])"))
    #expect(fixture.redis.messages.count == 2)
  }

  @Test func `that still waits at the end is tried once more`() async throws {
    let fixture = try await TierFixture()
    let gate = Gate()
    fixture.duringWaits { _ in await gate.wait() }
    fixture.redis.fail { $0[0] == "SET" ? .reply("-ERR not now\r\n") : nil }
    await #expect(throws: TierPurgeFailure.self) {
      try await fixture.tier.purge(
        TierPurge(urls: [fixture.key.url.text], time: fixture.clock.now))
    }
    fixture.redis.fail { _ in nil }
    await fixture.tier.shutDown()

    #expect(fixture.generation?.isOfPurge == true)
    gate.open()
  }

  @Test(arguments: [false, true])
  func `of changed sources is published only for those that the tier had`(hasObjects: Bool)
    async throws
  {
    let objects = StubObjects()
    let fixture = try await TierFixture { if hasObjects { $0.objects = objects } }
    fixture.put(fixture.value("a"))
    let urls = [fixture.key.url.text, "https://example.org/unknown"]
    await fixture.tier.invalidate(urls)
    await fixture.tier.finishWriting()

    #expect(await fixture.tier.read(fixture.key).text == "miss")
    // The object store may have either.
    let told = hasObjects ? urls : [urls[0]]
    let names = told.map { "url \($0)" }.joined(separator: "\n")
    #expect(fixture.redis.messages == ["\(fixture.tier.sender) 1592300000000\n\(names)"])
    let objectNames = urls.map { "delete \(fixture.tier.names.object(TierKey(url: $0)))" }
    #expect(Set(objects.calls) == (hasObjects ? Set(objectNames) : []))
  }
}
