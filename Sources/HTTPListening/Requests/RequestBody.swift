public import ImageModel

/// The body of a client's request, one piece at a time: the client waits for the reader. One task
/// writes, one reads.
public final class RequestBody: Sendable {
  /// The client disconnected before the end, or the rest is not wanted.
  struct Incomplete: LocalizedError {
    var errorDescription: String? { "the request's body did not arrive whole" }
  }

  private enum End { case complete, broken, unwanted }
  private struct State {
    var piece: [UInt8]?
    var end: End?
    var isRead = false
    var reader: UnsafeContinuation<Void, Never>?
    var writer: UnsafeContinuation<Void, Never>?
  }
  private let state = Locked(State())
  private let onFirstRead: @Sendable () async -> Void

  /// Creates a body of which nothing has arrived; the closure is called before the first read.
  public init(onFirstRead: @escaping @Sendable () async -> Void) { self.onFirstRead = onFirstRead }

  convenience init(_ bytes: [UInt8]) {
    self.init {}
    state.withLock { ($0.piece, $0.end) = (bytes.isEmpty ? nil : bytes, .complete) }
  }

  /// Writes a piece, and waits until it is read or unwanted.
  func write(_ bytes: [UInt8]) async {
    guard !bytes.isEmpty else { return }
    await state.wait { state, writer in
      guard state.end == nil else { return false }
      (state.piece, state.writer) = (bytes, writer)
      state.reader?.resume()
      state.reader = nil
      return true
    }
  }

  func finish() { end(.complete) }
  /// Notes that the rest will not arrive.
  func fail() { end(.broken) }
  /// Notes that the rest will not be read.
  func abandon() { end(.unwanted) }

  /// Returns the next piece; `nil` at the end.
  ///
  /// - Throws: An error if the client disconnected before the end, or the rest is not wanted.
  public func next() async throws -> [UInt8]? {
    try await withTaskCancellationHandler {
      let isFirst = state.withLock { state in
        defer { state.isRead = true }
        return !state.isRead && state.end == nil
      }
      if isFirst { await onFirstRead() }
      await state.wait { state, reader in
        guard state.piece == nil, state.end == nil else { return false }
        state.reader = reader
        return true
      }
      return try nextChunk()
    } onCancel: {
      abandon()
    }
  }

  private func nextChunk() throws -> [UInt8]? {
    try state.withLock { state in
      if let piece = state.piece {
        state.piece = nil
        state.writer?.resume()
        state.writer = nil
        return piece
      }
      guard state.end == .complete else { throw Incomplete() }
      return nil
    }
  }

  private func end(_ end: End) {
    state.withLock { state in
      state.end = state.end ?? end
      if end != .complete { state.piece = nil }
      state.reader?.resume()
      state.reader = nil
      if state.piece == nil {
        state.writer?.resume()
        state.writer = nil
      }
    }
  }
}

extension Locked where Value: Sendable {
  /// Suspends the task until its continuation is resumed, if `park` returns that it has kept it.
  public func wait(
    _ park: (inout Value, UnsafeContinuation<Void, Never>) -> Bool
  ) async {
    await withUnsafeContinuation { continuation in
      if !withLock({ park(&$0, continuation) }) { continuation.resume() }
    }
  }
}
