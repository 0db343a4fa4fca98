import HTTPCaching
import ImageModel
import Testing

@testable import CachingProxy

/// A body on its way from the origin to the store and to clients that read at different speeds.
@Suite struct `A relayed body` {
  /// Stores so many bytes and then has no room; damaged on request.
  private final class StubStaged: StagedResponse {
    private let bytes = Locked<[UInt8]>([])
    private let room: Int
    /// The number of bytes that can still be read.
    let readable = Locked(Int.max)

    init(room: Int = .max) { self.room = room }

    var stored: [UInt8] { bytes.withLock { $0 } }

    func append(_ more: [UInt8]) throws {
      try bytes.withLock { bytes in
        guard bytes.count + more.count <= room else { throw ImageError(.diskFull, "no room") }
        bytes += more
      }
    }

    func commit(_ response: StoredResponse, for url: String) throws {}

    func read(at offset: Int, count: Int) throws -> [UInt8] {
      let end = min(offset + count, readable.withLock { $0 })
      return bytes.withLock { Array($0[min(offset, end)..<min(end, $0.count)]) }
    }
  }

  /// All that is left for a reader, and whether the body was complete.
  private func rest(of reader: BodyRelay.Reader?) async -> (bytes: [UInt8], isComplete: Bool) {
    var bytes: [UInt8] = []
    do {
      while let piece = try await reader?.next() { bytes += piece }
      return (bytes, reader != nil)
    } catch {
      return (bytes, false)
    }
  }

  private func expect(
    _ bytes: [UInt8], isComplete: Bool = true, for readers: [BodyRelay.Reader?],
    _ location: SourceLocation = #_sourceLocation
  ) async {
    for reader in readers {
      let rest = await rest(of: reader)
      #expect(rest.bytes == bytes && rest.isComplete == isComplete, sourceLocation: location)
    }
  }

  @Test func `cannot be joined when its start is gone`() async throws {
    let relay = BodyRelay(staged: nil)
    let reader = try #require(relay.join())
    try await relay.append([1, 2])
    #expect(relay.join() != nil)

    #expect(try await reader.next() == [1, 2])

    #expect(relay.join() == nil)
  }

  @Test(arguments: [nil, 1])
  func `is abandoned when no client is left and nothing more can be stored`(
    room: Int?
  ) async throws {
    let relay = BodyRelay(staged: room.map { StubStaged(room: $0) })
    var reader = relay.join()
    try await relay.append([1])
    #expect(reader != nil)

    reader = nil

    await #expect(throws: BodyRelay.Abandoned.self) { try await relay.append([2, 3]) }
  }

  @Test(arguments: [false, true])
  func `reports that no client is left, unless it is stored`(isStored: Bool) async throws {
    let calls = Locked(0)
    let relay = BodyRelay(staged: isStored ? StubStaged() : nil) { calls.withLock { $0 += 1 } }
    let readers = [relay.join(), relay.join()].compactMap(\.self)
    let waiting = Task { try await readers[1].next() }

    readers[0].leave()
    readers[0].leave()
    #expect(calls.withLock { $0 } == 0)
    readers[1].leave()

    await #expect(throws: BodyRelay.Broken.self) { try await waiting.value }
    #expect(calls.withLock { $0 } == (isStored ? 0 : 1))
    relay.finish(isComplete: false)
  }

  @Test func `that breaks off or is gone from the store is not complete`() async throws {
    let broken = BodyRelay(staged: StubStaged())
    let reader = broken.join()
    try await broken.append([1, 2])
    broken.finish(isComplete: false)
    broken.finish(isComplete: true)
    await expect([1, 2], isComplete: false, for: [reader])

    let staged = StubStaged()
    let damaged = BodyRelay(staged: staged)
    let other = damaged.join()
    try await damaged.append([1, 2, 3])
    damaged.finish(isComplete: true)
    staged.readable.withLock { $0 = 2 }
    await expect([], isComplete: false, for: [other])
  }

  @Test func `shows its last bytes when finished, or at once if they do not fit`() async throws {
    let staged = StubStaged()
    let relay = BodyRelay(staged: staged)
    let reader = try #require(relay.join())
    try await relay.append([1])
    try await relay.append(last: [2, 3])

    #expect(staged.stored == [1, 2, 3])
    #expect(relay.byteCount == 1 && relay.stagedByteCount == 3)
    #expect(try await reader.next() == [1])
    let next = Task { await rest(of: reader) }
    relay.finish(isComplete: true)
    #expect(await next.value.bytes == [2, 3])
    #expect(relay.byteCount == 3)

    let full = BodyRelay(staged: StubStaged(room: 1))
    let other = try #require(full.join())
    try await full.append([1])
    try await full.append(last: [2, 3])
    #expect(try await other.next() == [1])
    #expect(try await other.next() == [2, 3])
    #expect(full.staged == nil)
  }

  @Test func `waits for the slowest client, 128 KiB behind, until it leaves`() async throws {
    let relay = BodyRelay(staged: nil)
    var slow = relay.join()
    let fast = try #require(relay.join())
    let piece = [UInt8](repeating: 7, count: 64 << 10)
    for _ in 0..<2 {
      try await relay.append(piece)
      #expect(try await fast.next()?.count == piece.count)
    }

    for hasLeft in [false, true] {
      let appended = Locked(false)
      let producer = Task {
        try await relay.append(piece)
        appended.withLock { $0 = true }
      }
      #expect(try await fast.next()?.count == piece.count)
      #expect(!appended.withLock { $0 })
      if hasLeft { slow = nil } else { #expect(try await slow?.next()?.count == piece.count) }
      try await producer.value
    }

    #expect(relay.byteCount == 4 * piece.count)
  }

  /// Pieces of random sizes, a store with room for a random number of bytes, and clients that join
  /// and leave at random: each that stays gets exactly the body.
  @Test(arguments: [91, 92, 93, 94, 95, 96] as [UInt64])
  func `is the same for every client`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let pieces = (0..<40).map { number in
      [UInt8](repeating: UInt8(number), count: Int.random(in: 1...3000, using: &random))
    }
    let body = Array(pieces.joined())
    let relay = BodyRelay(staged: StubStaged(room: Int.random(in: 0...body.count, using: &random)))
    var readers = [relay.join()]
    var clients: [Task<(bytes: [UInt8], isComplete: Bool), Never>] = []
    for piece in pieces {
      try await relay.append(piece)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: if let reader = relay.join() { readers.append(reader) }
      case 1 where readers.count > 1: readers.removeLast()
      case 2 where readers.count > 1:
        let reader = readers.removeLast()
        clients.append(Task { await rest(of: reader) })
      default: break
      }
    }
    relay.finish(isComplete: true)

    for reader in readers { clients.append(Task { await rest(of: reader) }) }
    readers = []
    for client in clients {
      let (bytes, isComplete) = await client.value
      #expect(bytes == body, "seed \(seed): \(bytes.count) of \(body.count) bytes")
      #expect(isComplete, "seed \(seed)")
    }
  }
}
