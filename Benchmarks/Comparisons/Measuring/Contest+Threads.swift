import Dispatch
import Foundation

extension Contest {
  /// The same work on two threads compared with one: a ratio of 0.5 is twice the throughput.
  ///
  /// - Parameter body: Receives a number that no two threads have at once.
  static func scaling(_ body: @escaping @Sendable (Int) -> Int) -> Contest {
    Contest { count in
      onThreads(2, count) { thread, count in
        for index in 0..<count { consume(body(thread * count + index)) }
      }
    } limit: { count in
      for index in 0..<count { consume(body(index)) }
    }
  }
}

/// Runs an operation `count` times in all, on this many threads at once: the caller's and new ones.
///
/// Not `DispatchQueue.concurrentPerform`: called from a task, it often runs everything on the
/// task's own thread.
///
/// - Parameter body: Receives the thread's number and how many times to run the operation.
func onThreads(_ threads: Int, _ count: Int, _ body: @escaping @Sendable (Int, Int) -> Void) {
  let others = DispatchGroup()
  for thread in 1..<max(threads, 1) {
    others.enter()
    Thread.detachNewThread {
      body(thread, count / threads)
      others.leave()
    }
  }
  body(0, count / threads)
  others.wait()
}

/// Consumes a result, so that the compiler cannot leave out the work that made it.
@inline(never)
@_optimize(none)
package func consume(_ value: Int) {}
