import CPlatform
import Synchronization

/// A shard and its lock, on cache lines of its own so that threads in different lanes do not slow each other.
///
/// It lies in memory that its owner allocates, and not in an object: counting references to objects that all
/// threads share would cost more than all the rest of a hit.
struct MemoryLane: ~Copyable {
  private let mutex = Mutex(MemoryShard())
  private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0, 0, 0, 0, 0, 0, 0, 0
  )

  /// Lends the shard; `address` is where this lane lies, for the thread sanitizer. See ``Locked``.
  @inline(__always)
  func withShard<Result>(
    _ address: UnsafeMutablePointer<MemoryLane>, _ body: (inout MemoryShard) -> sending Result
  ) -> sending Result {
    mutex.withLock { shard in
      imgc_sanitizer_acquire(address)
      defer { imgc_sanitizer_release(address) }
      return body(&shard)
    }
  }
}
