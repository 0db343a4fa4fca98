import HTTPCaching
import HTTPListening
import ImageModel
import NIOCore

/// The body of one response on its way to any number of clients and, if it may be stored, into the
/// store.
///
/// While it is being stored, clients read what is stored, each at its own pace, and none delays
/// another. What is not stored waits in a window of 128 KiB: there the origin waits for the slowest
/// client.
final class BodyRelay: Sendable {
  struct Broken: Error {}
  struct Abandoned: Error {}

  private enum End { case complete, broken }

  private struct State {
    var staged: (any StagedResponse)?
    var isStoring: Bool
    /// The number of bytes that can be read from `staged`.
    var stagedCount = 0
    /// The bytes after those; the first begins at `windowStart`.
    var window = CircularBuffer<[UInt8]>()
    var windowStart = 0
    var heldCount = 0
    var total = 0
    var grownAt = ContinuousClock.now
    var end: End?
    var readers: [Int: Int] = [:]
    var lastID = 0
    var waitingReaders: [UnsafeContinuation<Void, Never>] = []
    var waitingProducer: UnsafeContinuation<Void, Never>?
  }
  private let state: Locked<State>

  private static let windowByteCount = 128 << 10
  private static let readByteCount = 1 << 16

  private let whenAbandoned: @Sendable () -> Void

  /// `whenAbandoned` is called when the last client has left and nothing is stored.
  init(
    staged: (any StagedResponse)?, whenAbandoned: @escaping @Sendable () -> Void = {}
  ) {
    self.whenAbandoned = whenAbandoned
    state = Locked(State(staged: staged, isStoring: staged != nil))
  }

  var staged: (any StagedResponse)? { state.withLock { $0.isStoring ? $0.staged : nil } }
  var byteCount: Int { state.withLock { $0.total } }
  /// The number of bytes in the store, including those not yet shown.
  var stagedByteCount: Int { state.withLock { $0.stagedCount + $0.heldCount } }

  // MARK: The producer

  /// Adds the last bytes; if they are stored, clients see them only after ``finish(isComplete:)``.
  func append(last bytes: [UInt8]) async throws {
    guard let staged, (try? staged.append(bytes)) != nil else { return try await append(bytes) }
    state.withLock { $0.heldCount = bytes.count }
  }

  func append(_ bytes: [UInt8]) async throws {
    guard !bytes.isEmpty else { return }
    let isStored = staged.map { (try? $0.append(bytes)) != nil } ?? false
    let isWanted = state.withLock { state in
      state.total += bytes.count
      state.grownAt = .now
      if isStored {
        state.stagedCount = state.total
        state.windowStart = state.total
      } else {
        state.isStoring = false
        state.window.append(bytes)
        Self.trim(&state)
      }
      Self.wakeReaders(&state)
      return state.isStoring || !state.readers.isEmpty
    }
    guard isWanted else { throw Abandoned() }
    while try state.withLock({ try Self.isFull($0) }) {
      await state.wait { state, producer in
        guard (try? Self.isFull(state)) == true else { return false }
        state.waitingProducer = producer
        return true
      }
    }
  }

  /// Notes that all bytes have arrived, or that no more will.
  func finish(isComplete: Bool) {
    state.withLock { state in
      state.end = state.end ?? (isComplete ? .complete : .broken)
      state.total += state.heldCount
      state.stagedCount += state.heldCount
      state.heldCount = 0
      Self.wakeReaders(&state)
    }
  }

  private static func isFull(_ state: State) throws -> Bool {
    if state.isStoring { return false }
    guard let slowest = state.readers.values.min() else { throw Abandoned() }
    return state.total - max(slowest, state.stagedCount) > windowByteCount
  }

  // MARK: The clients

  /// Adds a reader at the start of the body; `nil` if the start is gone, or the body stopped
  /// arriving for the patience. Bytes that are not stored need a reader from the start.
  func join(ifNewerThan patience: Duration? = nil) -> Reader? {
    state.withLock { state in
      if let patience, state.end == nil, .now - state.grownAt > patience { return nil }
      guard state.windowStart <= (state.staged == nil ? 0 : state.stagedCount) else { return nil }
      state.lastID += 1
      state.readers[state.lastID] = 0
      return Reader(relay: self, id: state.lastID)
    }
  }

  final class Reader: Sendable {
    private let relay: BodyRelay
    private let id: Int

    fileprivate init(relay: BodyRelay, id: Int) {
      self.relay = relay
      self.id = id
    }

    deinit { leave() }

    func leave() {
      let isAbandoned = relay.state.withLock { state in
        let isLast = state.readers.removeValue(forKey: id) != nil && state.readers.isEmpty
        BodyRelay.trim(&state)
        BodyRelay.wakeReaders(&state)
        return isLast && !state.isStoring && state.end == nil
      }
      if isAbandoned { relay.whenAbandoned() }
    }

    /// Waits for the first bytes, and returns whether they arrived before the deadline, or a whole
    /// body without any.
    func hasBegun(by deadline: ContinuousClock.Instant) async -> Bool {
      let state = relay.state
      let timer = Task(executorPreference: ConnectionPresence.current?.executor) {
        try await Task.sleep(until: deadline, clock: .continuous)
        state.withLock { BodyRelay.wakeReaders(&$0) }
      }
      defer { timer.cancel() }
      while state.withLock({ $0.total == 0 && $0.end == nil }), .now < deadline {
        await state.wait { state, reader in
          guard state.total == 0, state.end == nil, .now < deadline else { return false }
          state.waitingReaders.append(reader)
          return true
        }
      }
      return state.withLock { $0.total > 0 || $0.end == .complete }
    }

    /// Returns the next bytes; `nil` at the end. Throws ``BodyRelay/Broken`` if the rest will not
    /// arrive.
    func next() async throws -> [UInt8]? {
      let state = relay.state
      while true {
        switch try state.withLock({ try BodyRelay.next(id, &$0) }) {
        case .end: return nil
        case .bytes(let bytes): return bytes
        case .stored(let staged, let offset, let count):
          let bytes = try staged.read(at: offset, count: count)
          guard bytes.count == count else { throw Broken() }
          state.withLock { state in
            state.readers[id] = offset + count
            BodyRelay.trim(&state)
          }
          return bytes
        case .wait:
          await state.wait { state, reader in
            guard state.end == nil, state.readers[id] == state.total else { return false }
            state.waitingReaders.append(reader)
            return true
          }
        }
      }
    }
  }

  private enum Next {
    case wait, end
    case stored(any StagedResponse, at: Int, count: Int)
    case bytes([UInt8])
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

  private static func trim(_ state: inout State) {
    let slowest = state.readers.values.min() ?? state.total
    // A response that turned out to be too large keeps no file beyond that.
    if !state.isStoring, slowest >= state.stagedCount { state.staged = nil }
    while let first = state.window.first, state.windowStart + first.count <= slowest {
      state.windowStart += first.count
      state.window.removeFirst()
    }
    state.waitingProducer?.resume()
    state.waitingProducer = nil
  }

  private static func wakeReaders(_ state: inout State) {
    for reader in state.waitingReaders { reader.resume() }
    state.waitingReaders.removeAll(keepingCapacity: true)
  }
}
