import ImagePipeline
import NIOCore

/// The body of one answer on its way to any number of clients and, where it may be kept, into the store.
///
/// While it is being stored, clients read what is stored, each at its own pace, and none holds up another. What is not
/// stored waits in a window of 1 MiB: there the origin waits for the slowest client.
final class BodyRelay: Sendable {
  /// The answer did not come to its end.
  struct Broken: Error {}
  /// Nobody reads any more, and nothing is stored.
  struct Abandoned: Error {}

  private enum End { case complete, broken }

  private struct State {
    var staged: (any StagedResponse)?
    var isStoring: Bool
    /// Bytes that can be read from what is staged.
    var stagedCount = 0
    /// What came after them; the first begins at `windowStart`.
    var window = CircularBuffer<[UInt8]>()
    var windowStart = 0
    /// Bytes that are staged and not yet shown.
    var heldCount = 0
    var total = 0
    var end: End?
    var readers: [Int: Int] = [:]
    var nextID = 0
    var waitingReaders: [UnsafeContinuation<Void, Never>] = []
    var waitingProducer: UnsafeContinuation<Void, Never>?
  }
  private let state: Locked<State>

  private static let windowByteCount = 1 << 20
  private static let readByteCount = 1 << 16

  /// - Parameter staged: Where the bytes are kept; `nil` when they are only passed on.
  init(staged: (any StagedResponse)?) {
    state = Locked(State(staged: staged, isStoring: staged != nil))
  }

  /// Whether all bytes so far are stored.
  var isStored: Bool { state.withLock { $0.isStoring } }
  /// Bytes so far.
  var byteCount: Int { state.withLock { $0.total } }

  /// Bytes that the store has, those not yet shown among them.
  var stagedByteCount: Int { state.withLock { $0.stagedCount + $0.heldCount } }

  // MARK: The producer

  /// Takes the last bytes; where they are stored, clients see them only after ``finish(isComplete:)``.
  func append(last bytes: [UInt8]) async throws {
    let staged = state.withLock { $0.isStoring ? $0.staged : nil }
    guard let staged, (try? staged.append(bytes)) != nil else { return try await append(bytes) }
    state.withLock { $0.heldCount = bytes.count }
  }

  /// Hands on bytes; waits where clients are far behind.
  func append(_ bytes: [UInt8]) async throws {
    guard !bytes.isEmpty else { return }
    let (staged, isStoring) = state.withLock { ($0.staged, $0.isStoring) }
    var isKept = false
    if isStoring, let staged { isKept = (try? staged.append(bytes)) != nil }
    let keeps = isKept
    let isWanted = state.withLock { state in
      state.total += bytes.count
      if keeps {
        state.stagedCount = state.total
        state.windowStart = state.total
      } else {
        state.isStoring = false
        state.window.append(bytes)
      }
      Self.wakeReaders(&state)
      return state.isStoring || !state.readers.isEmpty
    }
    guard isWanted else { throw Abandoned() }
    while try state.withLock({ try Self.isFull($0) }) {
      await withUnsafeContinuation { continuation in
        let mustWait = state.withLock { state in
          guard (try? Self.isFull(state)) == true else { return false }
          state.waitingProducer = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    }
  }

  /// Says that all bytes have come, or that no more will.
  func finish(isComplete: Bool) {
    state.withLock { state in
      state.end = state.end ?? (isComplete ? .complete : .broken)
      state.total += state.heldCount
      state.stagedCount += state.heldCount
      state.heldCount = 0
      Self.wakeReaders(&state)
    }
  }

  /// Whether the slowest client is too far behind.
  private static func isFull(_ state: State) throws -> Bool {
    if state.isStoring { return false }
    guard let slowest = state.readers.values.min() else { throw Abandoned() }
    return state.total - max(slowest, state.stagedCount) > windowByteCount
  }

  // MARK: The clients

  /// Begins to read from the start; `nil` when the start is gone. Somebody has to, before bytes come that are not
  /// stored.
  func join() -> Reader? {
    state.withLock { state in
      guard state.windowStart <= state.stagedCount else { return nil }
      state.nextID += 1
      state.readers[state.nextID] = 0
      return Reader(relay: self, id: state.nextID)
    }
  }

  /// One client's way through the body; it leaves when the value goes.
  final class Reader: Sendable {
    private let relay: BodyRelay
    private let id: Int

    fileprivate init(relay: BodyRelay, id: Int) {
      self.relay = relay
      self.id = id
    }

    deinit { relay.leave(id) }

    /// The next bytes; `nil` at the end.
    ///
    /// - Throws: ``BodyRelay/Broken`` when the rest will not come.
    func next() async throws -> [UInt8]? { try await relay.next(id) }
  }

  private enum Next {
    case wait, end
    case stored(any StagedResponse, at: Int, count: Int)
    case bytes([UInt8])
  }

  private func next(_ id: Int) async throws -> [UInt8]? {
    while true {
      switch try state.withLock({ try Self.next(id, &$0) }) {
      case .end: return nil
      case .bytes(let bytes): return bytes
      case .stored(let staged, let offset, let count):
        let bytes = try staged.read(at: offset, count: count)
        guard bytes.count == count else { throw Broken() }
        state.withLock { $0.readers[id] = offset + count }
        return bytes
      case .wait:
        await withUnsafeContinuation { continuation in
          let mustWait = state.withLock { state in
            guard state.end == nil, (state.readers[id] ?? 0) == state.total else { return false }
            state.waitingReaders.append(continuation)
            return true
          }
          if !mustWait { continuation.resume() }
        }
      }
    }
  }

  private static func next(_ id: Int, _ state: inout State) throws -> Next {
    guard let offset = state.readers[id] else { throw Broken() }
    if offset < state.stagedCount, let staged = state.staged {
      return .stored(staged, at: offset, count: min(readByteCount, state.stagedCount - offset))
    }
    var start = state.windowStart
    for bytes in state.window {
      if offset < start + bytes.count {
        state.readers[id] = start + bytes.count
        trim(&state)
        return .bytes(Array(bytes[(offset - start)...]))
      }
      start += bytes.count
    }
    switch state.end {
    case .complete: return .end
    case .broken: throw Broken()
    case nil: return .wait
    }
  }

  private func leave(_ id: Int) {
    state.withLock { state in
      state.readers[id] = nil
      Self.trim(&state)
    }
  }

  /// Drops what every client has, and lets the producer go on.
  private static func trim(_ state: inout State) {
    let slowest = state.readers.values.min() ?? state.total
    while let first = state.window.first, state.windowStart + first.count <= slowest {
      state.windowStart += first.count
      state.window.removeFirst()
    }
    state.waitingProducer?.resume()
    state.waitingProducer = nil
  }

  private static func wakeReaders(_ state: inout State) {
    for continuation in state.waitingReaders { continuation.resume() }
    state.waitingReaders.removeAll(keepingCapacity: true)
  }
}
