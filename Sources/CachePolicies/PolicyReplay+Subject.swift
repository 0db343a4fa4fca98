extension PolicyReplay {
  package enum Subject: Sendable, Hashable {
    case policy(EvictionPolicy)
    case disk(DiskEvictionPolicy)

    /// The policy itself, without a past.
    var policy: any ReplayablePolicy {
      switch self {
      case .policy(let policy): policy.algorithm
      case .disk(let policy): policy.sampled
      }
    }
  }

  /// Replays all requests, those of the warm-up counted apart. The progress receives how many more
  /// were replayed, and returns `false` to stop.
  package static func run(
    _ subject: Subject, _ requests: Requests, capacity: Int, warmUp: Int = 0,
    expectedCount: Int = 0, progress: (Int) -> Bool = { _ in true }
  ) -> Outcome {
    subject.policy.replay(
      requests, warmUp: warmUp, capacity: capacity, expectedCount: expectedCount,
      progress: progress)
  }

  /// Returns an empty cache to replay requests through one at a time, which costs a few nanoseconds
  /// more for each: for a simulation of several caches.
  package static func cache(_ subject: Subject, capacity: Int, expectedCount: Int = 0) -> Access {
    subject.policy.makeAccess(capacity: capacity, expectedCount: expectedCount)
  }
}
