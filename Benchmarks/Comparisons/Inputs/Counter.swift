import Synchronization

/// Counts from 0.
package final class Counter: Sendable {
  private let value = Atomic(0)

  package init() {}

  package func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
}
