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
    guard let reader else { return ([], false) }
    do {
      while let piece = try await reader.next() { bytes += piece }
      return (bytes, true)
    } catch {
      return (bytes, false)
    }
  }

  private func isAbandoned(_ append: () async throws -> Void) async -> Bool {
    do {
      try await append()
      return false
    } catch {
      return error is BodyRelay.Abandoned
    }
  }

  @Test func `is read from the start by clients that come at any time while it is stored`()
    async throws
  {
    let staged = StubStaged()
    let relay = BodyRelay(staged: staged)
    let early = relay.join()

    try await relay.append([1, 2])
    let late = relay.join()
    try await relay.append([3])
    relay.finish(isComplete: true)
    let last = relay.join()

    for reader in [early, late, last] {
      let (bytes, isComplete) = await rest(of: reader)
      #expect(bytes == [1, 2, 3] && isComplete)
    }
    #expect(staged.stored == [1, 2, 3])
    #expect(relay.staged != nil && relay.byteCount == 3 && relay.stagedByteCount == 3)
  }

  @Test func `goes on for its clients when the store has no more room`() async throws {
    let staged = StubStaged(room: 3)
    let relay = BodyRelay(staged: staged)
    let one = relay.join()
    let other = relay.join()

    for bytes in [[1, 2, 3], [4, 5], [6]] as [[UInt8]] { try await relay.append(bytes) }
    relay.finish(isComplete: true)

    #expect(relay.staged == nil)
    #expect(staged.stored == [1, 2, 3])
    for reader in [one, other] {
      let (bytes, isComplete) = await rest(of: reader)
      #expect(bytes == [1, 2, 3, 4, 5, 6] && isComplete)
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

  @Test func `is abandoned when no client is left and nothing is stored`() async throws {
    let relay = BodyRelay(staged: nil)
    var reader = relay.join()
    try await relay.append([1])
    #expect(reader != nil)

    reader = nil

    #expect(await isAbandoned { try await relay.append([2]) })
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

  @Test func `is abandoned when no client is left and the store has no more room`() async throws {
    let relay = BodyRelay(staged: StubStaged(room: 1))

    try await relay.append([1])

    #expect(await isAbandoned { try await relay.append([2, 3]) })
  }

  @Test func `that breaks off is given to its end, and then the clients know`() async throws {
    let relay = BodyRelay(staged: StubStaged())
    let reader = relay.join()
    try await relay.append([1, 2])

    relay.finish(isComplete: false)
    relay.finish(isComplete: true)

    let (bytes, isComplete) = await rest(of: reader)
    #expect(bytes == [1, 2] && !isComplete)
  }

  @Test func `shows its last bytes only when it is finished`() async throws {
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

    let (bytes, isComplete) = await next.value
    #expect(bytes == [2, 3] && isComplete)
    #expect(relay.byteCount == 3)
  }

  @Test func `shows last bytes that cannot be stored at once`() async throws {
    let relay = BodyRelay(staged: StubStaged(room: 1))
    let reader = try #require(relay.join())
    try await relay.append([1])

    try await relay.append(last: [2, 3])

    #expect(try await reader.next() == [1])
    #expect(try await reader.next() == [2, 3])
    #expect(relay.staged == nil)
  }

  @Test func `is broken for a client whose stored bytes are gone`() async throws {
    let staged = StubStaged()
    let relay = BodyRelay(staged: staged)
    let reader = relay.join()
    try await relay.append([1, 2, 3])
    relay.finish(isComplete: true)

    staged.readable.withLock { $0 = 2 }

    let (bytes, isComplete) = await rest(of: reader)
    #expect(bytes.isEmpty && !isComplete)
  }

  @Test func `waits for the slowest client, 128 KiB behind`() async throws {
    let relay = BodyRelay(staged: nil)
    let slow = try #require(relay.join())
    let fast = try #require(relay.join())
    let piece = [UInt8](repeating: 7, count: 64 << 10)
    try await relay.append(piece)
    try await relay.append(piece)
    #expect(try await fast.next()?.count == piece.count)
    #expect(try await fast.next()?.count == piece.count)

    let appended = Locked(false)
    let producer = Task {
      try await relay.append(piece)
      appended.withLock { $0 = true }
    }
    #expect(try await fast.next()?.count == piece.count)
    #expect(!appended.withLock { $0 })
    #expect(try await slow.next()?.count == piece.count)
    try await producer.value

    #expect(relay.byteCount == 3 * piece.count)
  }

  @Test func `does not wait for a client that leaves`() async throws {
    let relay = BodyRelay(staged: nil)
    var slow = relay.join()
    let fast = try #require(relay.join())
    let piece = [UInt8](repeating: 7, count: 128 << 10)
    try await relay.append(piece)
    _ = try await fast.next()
    let producer = Task { try await relay.append(piece) }
    #expect(try await fast.next()?.count == piece.count)
    #expect(slow != nil)

    slow = nil

    try await producer.value
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
