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
  private let run: ThreadRun

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: The name in debuggers and `top -H`; at most 15 bytes are kept on Linux.
  ///   - body: Runs on the new thread, which ends when it returns.
  /// - Throws: ``ImageError`` with code `outOfMemory` when the system grants no further thread.
  package init(name: String, body: @escaping @Sendable () -> Void) throws(ImageError) {
    run = ThreadRun(name: name, body: body)
    let start = Unmanaged.passRetained(run)
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
        Unmanaged<ThreadRun>.fromOpaque(pointer).takeRetainedValue().begin()
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

  /// Waits until the thread has ended, without blocking the calling one while the body runs.
  ///
  /// A process that exits between the end of the body and that of the thread would free what
  /// the thread-local destructors of libraries still use, OpenSSL's among them.
  package func ended() async {
    await run.end()
    join()
  }

  deinit {
    handle.withLock { if let thread = $0 { pthread_detach(thread) } }
  }
}

/// What a thread runs, carried through C as one retained pointer, and the callers that wait for its
/// end.
private final class ThreadRun: Sendable {
  private typealias Waiter = UnsafeContinuation<Void, Never>
  private let name: String
  private let body: @Sendable () -> Void
  private let state = Locked((hasEnded: false, waiters: [Waiter]()))

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }

  func begin() {
    imgc_thread_set_name(name)
    body()
    let waiters = state.withLock { state in
      defer { state = (true, []) }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func end() async {
    await withUnsafeContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiters.append(continuation) }
        return state.hasEnded
      }
      if hasEnded { continuation.resume() }
    }
  }
}
