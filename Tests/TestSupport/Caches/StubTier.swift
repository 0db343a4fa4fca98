import Foundation

@testable import HTTPCaching
@testable import ImageModel

/// A shared tier that answers as the test says, and records its calls.
final class StubTier: SharedResponseTier {
  private struct State {
    var turns: [TierTurn] = []
    var confirmation = TierConfirmation.unknown
    var generation: TierGeneration?
    var calls: [String] = []
    var writes: [(value: TierValue, key: TierKey, generation: TierGeneration, lock: TierLock?)] = []
  }

  let maximumBodyByteCount: Int
  let memoryLifetime = Duration.seconds(20)
  var isSuspended: Bool { false }
  var statistics: TierStatistics { TierStatistics() }
  private let state = Locked(State())

  init(maximumBodyByteCount: Int = 1 << 20) { self.maximumBodyByteCount = maximumBodyByteCount }

  /// The names of the calls so far, but for reads of confirmations.
  var calls: [String] { state.withLock { $0.calls } }
  var writes: [(value: TierValue, key: TierKey, generation: TierGeneration, lock: TierLock?)] {
    state.withLock { $0.writes }
  }

  /// The answers to the next calls of ``turn(for:until:isUsable:)``; after them, `makeAlone`.
  func answer(_ turns: TierTurn...) { state.withLock { $0.turns = turns } }
  /// The answer to ``confirm(_:_:)`` and, if it names one, to ``generation(of:)``.
  func confirm(_ confirmation: TierConfirmation, _ generation: TierGeneration? = nil) {
    state.withLock { ($0.confirmation, $0.generation) = (confirmation, generation) }
  }

  private func record(_ call: String) { state.withLock { $0.calls.append(call) } }

  func turn(
    for key: TierKey, until deadline: ContinuousClock.Instant?,
    isUsable: @Sendable (TierValue) -> Bool
  ) async throws -> TierTurn {
    let turn = state.withLock { state in
      state.calls.append("turn")
      return state.turns.isEmpty ? .makeAlone : state.turns.removeFirst()
    }
    if case .use(let value, _) = turn { record("usable: \(isUsable(value))") }
    return turn
  }
  func write(
    _ value: TierValue, for key: TierKey, _ generation: TierGeneration, lock: TierLock?
  ) {
    state.withLock { state in
      state.calls.append("write")
      state.writes.append((value, key, generation, lock))
    }
  }
  func release(_ lock: TierLock) { record("release \(lock.token)") }
  func isConfirmed(_ url: String, _ generation: TierGeneration) -> Bool { false }
  func confirm(_ url: String, _ generation: TierGeneration?) async -> TierConfirmation {
    state.withLock { state in
      state.calls.append("confirm")
      return state.confirmation
    }
  }
  func generation(of url: String) async -> TierGeneration? { state.withLock { $0.generation } }
  func invalidate(_ urls: [String]) async {}
  func purge(_ purge: TierPurge) async throws(TierPurgeFailure) {}
  func receivePurges(
    since: Date, _ handler: @escaping @Sendable (TierPurge) async throws -> Void
  ) async {}
}
