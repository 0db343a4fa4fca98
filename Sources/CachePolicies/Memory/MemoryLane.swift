import CPlatform
import Synchronization

/// A hit that the eviction order has not processed yet.
struct MemoryAccess {
  let key: MemoryKey
  let slot: Int32
  /// A count that grows with time on all processors alike, in no unit.
  let tick: UInt64
}

/// The look-ups of the threads of a lane.
struct MemoryLookups: ~Copyable {
  /// Hits that are gathered before the eviction order processes them.
  private static let batch = 128
  /// Another thread may hold the order for long: then hits are dropped rather than waited for.
  private static let maximumCount = 4 * batch

  private let accesses = UnsafeMutablePointer<MemoryAccess>.allocate(capacity: maximumCount)
  private var count = 0
  private(set) var hitCount = 0
  private(set) var missCount = 0

  deinit { accesses.deallocate() }

  /// Notes a hit. Returns whether the eviction order should process the hits now.
  @inline(__always)
  mutating func recordHit(_ access: @autoclosure () -> MemoryAccess) -> Bool {
    hitCount &+= 1
    if count < Self.maximumCount {
      (accesses + count).initialize(to: access())
      count &+= 1
    }
    return count & (Self.batch - 1) == 0
  }

  mutating func recordMiss() { missCount &+= 1 }

  mutating func drain(_ body: (MemoryAccess) -> Void) {
    for index in 0..<count { body(accesses[index]) }
    count = 0
  }
}

/// The lock that a thread takes to look up, on separate cache lines: threads have different ones as
/// long as they are fewer than the lanes.
///
/// It is in memory that its owner allocates, not in an object: counting references to objects that
/// all threads share would cost more than the rest of a hit.
struct MemoryLane: ~Copyable {
  private let mutex = Mutex(MemoryLookups())
  private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
    0, 0, 0, 0, 0, 0, 0, 0
  )

  /// `address` is that of this lane, for the thread sanitizer. See ``Locked``.
  @inline(__always)
  func withLock<Result>(
    _ address: UnsafeMutablePointer<MemoryLane>,
    _ body: (inout MemoryLookups) -> sending Result
  ) -> sending Result {
    mutex.withLock { lookups in
      imgc_sanitizer_acquire(address)
      defer { imgc_sanitizer_release(address) }
      return body(&lookups)
    }
  }
}
