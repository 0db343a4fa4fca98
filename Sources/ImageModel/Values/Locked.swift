public import CPlatform
public import Synchronization

/// A value behind a lock, usable from any thread; for short critical sections without waiting.
///
/// It is `Synchronization.Mutex` with two lines for the thread sanitizer, which does not see
/// the futex inside and would report every access as a race.
///
/// A function is kept in a structure: bare, each access of a debug build would wrap it once more.
public final class Locked<Value>: Sendable {
  @usableFromInline let mutex: Mutex<Value>

  /// Wraps a value.
  @inlinable public init(_ value: sending Value) {
    mutex = Mutex(value)
  }

  /// Calls a closure with the value while no other thread has the lock.
  @inlinable public func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    let address = Unmanaged.passUnretained(self).toOpaque()
    return try mutex.withLock { value throws(Failure) in
      imgc_sanitizer_acquire(address)
      defer { imgc_sanitizer_release(address) }
      return try body(&value)
    }
  }

  @discardableResult
  @inlinable package func withLockIfAvailable<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    let address = Unmanaged.passUnretained(self).toOpaque()
    return try mutex.withLockIfAvailable { value throws(Failure) in
      imgc_sanitizer_acquire(address)
      defer { imgc_sanitizer_release(address) }
      return try body(&value)
    }
  }
}
