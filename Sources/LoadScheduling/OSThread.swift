import CPlatform
import Dispatch
package import ImageModel

#if canImport(Darwin)
  package import Darwin
#else
  import Glibc
#endif

/// A thread of the system's own, for work that blocks: not one of the few that Swift's tasks share.
package final class OSThread: Sendable {
  private let handle: Locked<pthread_t?>

  /// What a thread runs, carried through C as one retained pointer.
  private final class Run: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      (self.name, self.body) = (name, body)
    }
  }

  /// Starts a thread, named in debuggers and `top -H` by at most 15 bytes on Linux.
  ///
  /// - Throws: `ImageError` with code `outOfMemory` when the system grants no further thread.
  package init(name: String, body: @escaping @Sendable () -> Void) throws(ImageError) {
    let start = Unmanaged.passRetained(Run(name, body))
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
        let run = Unmanaged<Run>.fromOpaque(pointer).takeRetainedValue()
        imgc_thread_set_name(run.name)
        run.body()
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

  /// Waits until the thread has ended, without blocking a thread of Swift's tasks.
  ///
  /// A process that exits between the end of the body and that of the thread would free what
  /// the thread-local destructors of libraries still use, OpenSSL's among them.
  package func ended() async {
    await withUnsafeContinuation { continuation in
      DispatchQueue.global().async {
        self.join()
        continuation.resume()
      }
    }
  }

  deinit {
    handle.withLock { if let thread = $0 { pthread_detach(thread) } }
  }
}
