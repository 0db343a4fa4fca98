/// The key of an entry in a memory tier: 128 bits that identify a request, compared in two
/// instructions.
///
/// Made by two SipHashes under the process's random seeds, so that colliding inputs cannot be
/// found; a collision by chance is as likely as a failing memory chip. It is meaningless in another
/// process.
public struct MemoryKey: Hashable, Sendable {
  @usableFromInline let high: UInt64
  @usableFromInline let low: UInt64

  /// Creates the key of a value that identifies the entry.
  @inlinable public init(_ value: some Hashable) {
    var first = Hasher()
    first.combine(value)
    high = UInt64(bitPattern: Int64(first.finalize()))
    var second = Hasher()
    second.combine(high)
    second.combine(value)
    low = UInt64(bitPattern: Int64(second.finalize()))
  }

  /// Hashes one half of the key, which is a hash itself.
  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(low) }

  /// The requirement of `Hashable` that dictionaries call; without it they would hash the hash.
  @inlinable public func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: low) ^ seed }
}
