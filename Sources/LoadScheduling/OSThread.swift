import CPlatform
import ImageModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread of the operating system's own, for work that blocks: it is not one of the few threads
/// that Swift's tasks share.
package final class OSThread: Sendable {
  private let handle: Locked<pthread_t?>
  private let end = ThreadEnd()

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: The name in debuggers and `top -H`; at most 15 bytes are kept on Linux.
  ///   - body: Runs on the new thread, which ends when it returns.
  /// - Throws: ``ImageError`` with code `outOfMemory` when the system grants no further thread.
  package init(name: String, body: @escaping @Sendable () -> Void) throws(ImageError) {
    let start = Unmanaged.passRetained(
      ThreadStart(name: name) { [end] in
        body()
        end.reach()
      })
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let status = pthread_create(
      &thread, nil,
      { argument in
        #if canImport(Darwin)
          let pointer = argument
        #else
          guard let pointer = argument else { return nil }
        #endif
        Unmanaged<ThreadStart>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      }, start.toOpaque())
    guard status == 0 else {
      start.release()
      throw ImageError(.outOfMemory, "cannot start the thread \(name): error \(status)")
    }
    handle = Locked(thread)
  }

  package func join() {
    handle.withLock { handle in
      if let thread = handle { pthread_join(thread, nil) }
      handle = nil
    }
  }

  /// The same, without blocking the calling thread while the body runs.
  ///
  /// A process that exits between the end of the body and that of the thread would free what
  /// the thread-local destructors of libraries still use, OpenSSL's among them.
  package func ended() async {
    await end.wait()
    join()
  }

  deinit {
    handle.withLock { if let thread = $0 { pthread_detach(thread) } }
  }
}

/// Whether the body of a thread has returned, and the callers that wait for it.
private final class ThreadEnd: Sendable {
  private typealias Waiter = UnsafeContinuation<Void, Never>
  private let state = Locked((isReached: false, waiters: [Waiter]()))

  func reach() {
    let waiters = state.withLock { state in
      defer { state = (true, []) }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func wait() async {
    await withUnsafeContinuation { continuation in
      let isReached = state.withLock { state in
        if !state.isReached { state.waiters.append(continuation) }
        return state.isReached
      }
      if isReached { continuation.resume() }
    }
  }
}

/// The start parameters of a new thread; carried through C as one retained pointer.
private final class ThreadStart: Sendable {
  private let name: String
  private let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }

  func run() {
    imgc_thread_set_name(name)
    body()
  }
}
