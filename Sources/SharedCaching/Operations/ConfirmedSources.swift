import ImageModel

/// Sources of which is known that they were not purged a moment ago; bounded.
final class ConfirmedSources: Sendable {
  private struct State {
    var until: [ExactString: Duration] = [:]
    var epoch: UInt64 = 0
  }

  private let lifetime: Duration
  private let state = Locked(State())
  private static let maximumCount = 100_000

  init(lifetime: Duration) { self.lifetime = lifetime }

  /// Grows whenever something is forgotten.
  var epoch: UInt64 { state.withLock { $0.epoch } }

  func contains(_ url: ExactString, at now: Duration) -> Bool {
    state.withLock { $0.until[url].map { now < $0 } ?? false }
  }

  func insert(_ url: ExactString, at now: Duration) {
    state.withLock { state in
      if state.until.count >= Self.maximumCount, state.until[url] == nil { state.until = [:] }
      state.until[url] = now + lifetime
    }
  }

  func remove(_ url: ExactString) {
    state.withLock { state in
      state.until[url] = nil
      state.epoch += 1
    }
  }

  func removeAll() {
    state.withLock { state in
      state.until = [:]
      state.epoch += 1
    }
  }
}
