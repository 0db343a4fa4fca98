import Dispatch

extension Contest {
  /// The same work on two threads and, as what stands beside it, on one: a ratio of 0.5 is twice the throughput.
  ///
  /// - Parameter body: Gets a number that no two threads have at once.
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

/// Does an operation `count` times in all, on so many threads at once.
///
/// - Parameter body: Gets the thread's number and how many times it is to do it.
func onThreads(_ threads: Int, _ count: Int, _ body: @escaping @Sendable (Int, Int) -> Void) {
  if threads == 1 { return body(0, count) }
  DispatchQueue.concurrentPerform(iterations: threads) { body($0, count / threads) }
}

/// Takes a result, so that nothing that made it can be left out.
@inline(never)
@_optimize(none)
package func consume(_ value: Int) {}
