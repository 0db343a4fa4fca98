import Synchronization

/// Whether new clients should be sent here.
final class Readiness: Sendable {
  private let value = Atomic(false)

  var isReady: Bool {
    get { value.load(ordering: .relaxed) }
    set { value.store(newValue, ordering: .relaxed) }
  }
}
