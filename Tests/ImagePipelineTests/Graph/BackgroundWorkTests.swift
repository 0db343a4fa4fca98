import Testing

@testable import CachePolicies
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `Work in the background` {
  private let work = BackgroundWork()
  private let gate = Gate()
  private let done = Locked<[String]>([])

  /// Starts work that ends when the gate opens, and is recorded then.
  private func start(_ name: String, for key: String) {
    work.start(for: MemoryKey(key)) { [gate, done] in
      await gate.wait()
      done.withLock { $0.append(name) }
    }
  }

  private var names: Set<String> { Set(done.withLock { $0 }) }

  @Test func `is done once for a key while it runs`() async {
    start("first", for: "a")
    start("second", for: "a")
    start("third", for: "b")
    let count = work.count

    gate.open()
    await work.finish()

    #expect(count == 2)
    #expect(names == ["first", "third"])
    #expect(work.count == 0)
  }

  @Test func `is cancelled with the task that waits for its end`() async {
    work.start(for: MemoryKey("a")) { [gate, done] in
      try? await gate.waitUnlessCancelled()
      done.withLock { $0.append(Task.isCancelled ? "cancelled" : "ended") }
    }
    await gate.arrivals(1)
    let waiter = Task { [work] in await work.finish() }
    waiter.cancel()
    await waiter.value

    #expect(names == ["cancelled"])
    #expect(work.count == 0)
  }
}
