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
      done.withLock { $0.append(Task.isCancelled ? "\(name) cancelled" : name) }
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

  @Test func `is done again for a key once it has ended`() async {
    gate.open()
    start("first", for: "a")
    await work.finish()

    start("second", for: "a")
    await work.finish()

    #expect(names == ["first", "second"])
  }

  @Test func `is at its end at once where there is none`() async {
    await work.finish()

    #expect(work.count == 0)
  }

  @Test func `ends soon when all of it is cancelled`() async {
    start("first", for: "a")
    start("second", for: "b")
    await gate.arrivals(2)

    work.cancelAll()
    gate.open()
    await work.finish()

    #expect(names == ["first cancelled", "second cancelled"])
  }

  @Test func `is cancelled with the task that waits for its end`() async {
    work.start(for: MemoryKey("a")) { [gate, done] in
      await withTaskCancellationHandler {
        await gate.wait()
      } onCancel: {
        gate.open()
      }
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
