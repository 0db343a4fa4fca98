import ImagePipeline

/// The body of a client's request on its way to the origin: one piece at a time, so that the client waits for the
/// origin. One task pushes, one takes.
final class RequestBody: Sendable {
  /// The client left before the end.
  struct Incomplete: Error {}

  private enum End { case whole, broken, unwanted }
  private struct State {
    var piece: [UInt8]?
    var end: End?
    var isAsked = false
    var taker: UnsafeContinuation<Void, Never>?
    var pusher: UnsafeContinuation<Void, Never>?
    var asker: UnsafeContinuation<Void, Never>?
  }
  private let state = Locked(State())

  /// Hands over a piece, and waits until it is taken or nobody wants it.
  func push(_ bytes: [UInt8]) async {
    guard !bytes.isEmpty else { return }
    await withUnsafeContinuation { continuation in
      let mustWait = state.withLock { state in
        guard state.end == nil else { return false }
        state.piece = bytes
        state.pusher = continuation
        state.taker?.resume()
        state.taker = nil
        return true
      }
      if !mustWait { continuation.resume() }
    }
  }

  /// Says that all of it was pushed.
  func finish() { end(.whole) }
  /// Says that the rest will not come.
  func fail() { end(.broken) }
  /// Says that nobody takes the rest.
  func abandon() { end(.unwanted) }

  /// The next piece; `nil` at the end.
  func next() async throws -> [UInt8]? {
    try await withTaskCancellationHandler {
      while true {
        if let piece = try take() { return piece.isEmpty ? nil : piece }
        await withUnsafeContinuation { continuation in
          let mustWait = state.withLock { state in
            guard state.piece == nil, state.end == nil else { return false }
            state.taker = continuation
            return true
          }
          if !mustWait { continuation.resume() }
        }
      }
    } onCancel: {
      abandon()
    }
  }

  /// Waits until somebody asks for the body; `false` when nobody will.
  func isWanted() async -> Bool {
    await withUnsafeContinuation { continuation in
      let mustWait = state.withLock { state in
        guard !state.isAsked, state.end == nil else { return false }
        state.asker = continuation
        return true
      }
      if !mustWait { continuation.resume() }
    }
    return state.withLock { $0.isAsked && $0.end == nil }
  }

  /// A piece; an empty one at the end; `nil` when it is to be waited for.
  private func take() throws -> [UInt8]? {
    try state.withLock { state in
      state.isAsked = true
      state.asker?.resume()
      state.asker = nil
      if let piece = state.piece {
        state.piece = nil
        state.pusher?.resume()
        state.pusher = nil
        return piece
      }
      switch state.end {
      case .whole: return []
      case .broken, .unwanted: throw Incomplete()
      case nil: return nil
      }
    }
  }

  private func end(_ end: End) {
    state.withLock { state in
      state.end = state.end ?? end
      if end != .whole { state.piece = nil }
      for continuation in [state.taker, state.asker] { continuation?.resume() }
      (state.taker, state.asker) = (nil, nil)
      if state.piece == nil {
        state.pusher?.resume()
        state.pusher = nil
      }
    }
  }
}
