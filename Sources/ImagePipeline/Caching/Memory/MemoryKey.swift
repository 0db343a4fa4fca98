/// One entry of a memory tier: 128 bits that stand for a request, made once and compared in two instructions.
///
/// Made by two SipHashes under the process's random keys, so that no input can be found that shares a key with
/// another; two that share one by chance are as likely as a failing memory chip. It means nothing to another process.
public struct MemoryKey: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  /// The key of a value that says all that matters.
  public init(_ value: some Hashable) {
    var first = Hasher()
    first.combine(value)
    high = UInt64(bitPattern: Int64(first.finalize()))
    var second = Hasher()
    second.combine(high)
    second.combine(value)
    low = UInt64(bitPattern: Int64(second.finalize()))
  }

  /// The key is made of hashes: one half of it will do.
  public func hash(into hasher: inout Hasher) { hasher.combine(low) }

  /// The requirement of `Hashable` that tables call; without it they would hash the hash.
  public func _rawHashValue(seed: Int) -> Int { Int(truncatingIfNeeded: low) ^ seed }
}
