import Synchronization

/// Names for files that are not to meet: a random number for the process, and a count.
enum TemporaryName {
  private static let process = String(UInt64.random(in: .min ... .max), radix: 36)
  private static let count = Atomic<Int>(0)

  /// A name that no other process and no other call uses.
  static func next() -> String {
    "\(process)-\(count.add(1, ordering: .relaxed).newValue)"
  }
}
