import HTTPCaching
import ImageModel

/// Purges that could not be written to the servers yet.
final class PendingPurges: Sendable {
  private struct State {
    var purges: [TierPurge] = []
    /// Sources that have their new generation, and an object that could not be deleted.
    var renewed: Set<ExactString> = []
    var isRunning = false
    /// Sources that are being purged, and how often.
    var purging: [ExactString: Int] = [:]
  }

  private let state = Locked(State())
  private static let maximumCount = 10_000

  var count: Int { state.withLock { $0.purges.count } }

  /// Adds a purge, and returns whether the caller is to begin to write them; `nil` for too many.
  func add(_ purge: TierPurge) -> Bool? {
    state.withLock { state in
      guard state.purges.count < Self.maximumCount else { return nil }
      state.purges.append(purge)
      defer { state.isRunning = true }
      return !state.isRunning
    }
  }

  /// Whether a source is being purged: what the servers have of it does not count.
  func isPurging(_ url: ExactString) -> Bool { state.withLock { $0.purging[url] != nil } }

  func begin(_ urls: [String]) {
    state.withLock { state in
      for url in urls { state.purging[ExactString(url), default: 0] += 1 }
    }
  }

  func end(_ urls: [String]) {
    state.withLock { state in
      for url in urls.map({ ExactString($0) }) {
        guard let count = state.purging[url] else { continue }
        state.purging[url] = count > 1 ? count - 1 : nil
      }
    }
  }

  /// Notes whether a source has its new generation already, and only its object is left.
  func setRenewed(_ url: String, _ isRenewed: Bool) {
    state.withLock { state in
      if isRenewed {
        state.renewed.insert(ExactString(url))
      } else {
        state.renewed.remove(ExactString(url))
      }
    }
  }

  func isRenewed(_ url: String) -> Bool { state.withLock { $0.renewed.contains(ExactString(url)) } }

  /// The purges that wait now; none ends the caller's part.
  func waiting() -> [TierPurge] {
    state.withLock { state in
      if state.purges.isEmpty { state.isRunning = false }
      return state.purges
    }
  }

  /// Replaces the oldest one by its remainder, behind the others; `nil` if nothing remains.
  func replaceFirst(by rest: TierPurge?) {
    state.withLock { state in
      // At the end of a tier two may write them.
      if state.purges.isEmpty { return }
      state.purges.removeFirst()
      if let rest { state.purges.append(rest) }
    }
  }
}
