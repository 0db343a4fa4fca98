import HTTPCaching
import ImageModel

/// The recently confirmed generations of sources; bounded.
final class ConfirmedSources: Sendable {
  private struct State {
    var known: [ExactString: (generation: TierGeneration, until: Duration)] = [:]
    /// By the hash of a source, so that what happens to one does not concern most others.
    var epochs = [UInt64](repeating: 0, count: 256)
  }

  private let lifetime: Duration
  private let state = Locked(State())
  private static let maximumCount = 100_000

  init(lifetime: Duration) { self.lifetime = lifetime }

  private static func slot(of url: ExactString) -> Int { url.hashValue & 255 }

  /// Changes whenever a source is forgotten: the result of an earlier request may be out of date.
  func epoch(of url: ExactString) -> UInt64 { state.withLock { $0.epochs[Self.slot(of: url)] } }

  func contains(_ url: ExactString, _ generation: TierGeneration, at now: Duration) -> Bool {
    state.withLock { state in
      state.known[url].map { $0.generation == generation && now < $0.until } ?? false
    }
  }

  /// Records the generation of a source, unless its epoch has changed since the request for it.
  func insert(_ url: ExactString, _ generation: TierGeneration, at now: Duration, epoch: UInt64) {
    state.withLock { state in
      guard state.epochs[Self.slot(of: url)] == epoch else { return }
      if state.known.count >= Self.maximumCount, state.known[url] == nil { state.known = [:] }
      state.known[url] = (generation, now + lifetime)
    }
  }

  func remove(_ url: ExactString) {
    state.withLock { state in
      state.known[url] = nil
      state.epochs[Self.slot(of: url)] += 1
    }
  }

  func removeAll() {
    state.withLock { state in
      state.known = [:]
      for slot in state.epochs.indices { state.epochs[slot] += 1 }
    }
  }
}
