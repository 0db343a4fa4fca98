import HTTPCaching
import ImageModel

/// The generations that sources had a moment ago; bounded.
final class ConfirmedSources: Sendable {
  private struct State {
    var known: [ExactString: (generation: TierGeneration, until: Duration)] = [:]
    var epoch: UInt64 = 0
  }

  private let lifetime: Duration
  private let state = Locked(State())
  private static let maximumCount = 100_000

  init(lifetime: Duration) { self.lifetime = lifetime }

  /// Changes whenever something is forgotten: what was asked for before may be out of date.
  var epoch: UInt64 { state.withLock { $0.epoch } }

  /// Whether a source had a generation a moment ago.
  func contains(_ url: ExactString, _ generation: TierGeneration, at now: Duration) -> Bool {
    state.withLock { state in
      state.known[url].map { $0.generation == generation && now < $0.until } ?? false
    }
  }

  /// Notes the generation of a source.
  ///
  /// - Parameters:
  ///   - now: When it was asked for.
  ///   - epoch: ``epoch`` at that time; nothing is noted if it has changed.
  func insert(
    _ url: ExactString, _ generation: TierGeneration, at now: Duration, epoch: UInt64
  ) {
    state.withLock { state in
      guard state.epoch == epoch else { return }
      if state.known.count >= Self.maximumCount, state.known[url] == nil { state.known = [:] }
      state.known[url] = (generation, now + lifetime)
    }
  }

  func remove(_ url: ExactString) {
    state.withLock { state in
      state.known[url] = nil
      state.epoch += 1
    }
  }

  func removeAll() {
    state.withLock { state in
      state.known = [:]
      state.epoch += 1
    }
  }
}
