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

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: What debuggers and `top -H` show; at most 15 bytes are kept on Linux.
  ///   - body: Runs on the new thread, which ends when it returns.
  /// - Throws: ``ImageError`` with code `outOfMemory` when the system grants no further thread.
  package init(name: String, body: @escaping @Sendable () -> Void) throws(ImageError) {
    let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
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

  /// Waits until the thread has ended. A second call returns at once.
  package func join() {
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let thread { pthread_join(thread, nil) }
  }

  deinit {
    handle.withLock { if let thread = $0 { pthread_detach(thread) } }
  }
}

/// What a new thread needs to begin; carried through C as one retained pointer.
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
