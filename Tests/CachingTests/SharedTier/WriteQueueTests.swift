import Testing

@testable import ImageModel
@testable import SharedCaching
@testable import TestSupport

@Suite struct `The writes of a tier in the background` {
  private let events = Locked<[String]>([])
  private let gate = Gate()

  private func queue(
    maximumCount: Int = 1000, maximumByteCount: Int = 1000, maximumRunning: Int = 1
  ) -> WriteQueue {
    var limits = WriteQueue.Limits()
    limits.maximumCount = maximumCount
    limits.maximumByteCount = maximumByteCount
    limits.maximumRunning = maximumRunning
    return WriteQueue(limits)
  }

  /// Adds work that is recorded by its name when it runs, or as dropped.
  private func add(
    _ name: String, to queue: WriteQueue, byteCount: Int = 1, isForced: Bool = false
  ) {
    queue.add(byteCount: byteCount, isForced: isForced) { [events] in
      events.withLock { $0.append("\(name) dropped") }
    } _: { [events] in
      events.withLock { $0.append(name) }
    }
  }

  /// Occupies every place until the gate opens.
  private func occupy(_ queue: WriteQueue, count: Int = 1, byteCount: Int = 0) async {
    for _ in 0..<count { queue.add(byteCount: byteCount) { [gate] in await gate.wait() } }
    await gate.arrivals(count)
  }

  /// Lets everything run.
  private func run(_ queue: WriteQueue) async {
    gate.open()
    await queue.finish()
  }

  private var names: [String] { events.withLock { $0 } }

  @Test func `run in their order, but for those that are forced, the latest of them first`() async {
    let queue = queue()
    await occupy(queue)

    for name in ["a", "b"] { add(name, to: queue) }
    for name in ["forced 1", "forced 2"] { add(name, to: queue, isForced: true) }
    add("c", to: queue)
    await run(queue)

    #expect(names == ["forced 2", "forced 1", "a", "b", "c"])
    #expect(queue.droppedCount == 0)
  }

  @Test func `are dropped at once where too many wait, but for those that are forced`() async {
    let queue = queue(maximumCount: 2)
    await occupy(queue)

    for name in ["a", "b", "c", "d"] { add(name, to: queue) }
    add("forced", to: queue, isForced: true)
    #expect(names == ["c dropped", "d dropped"])
    await run(queue)

    #expect(names == ["c dropped", "d dropped", "forced", "a", "b"])
    #expect(queue.droppedCount == 2)
  }

  @Test func `are dropped where they have too many bytes, and smaller ones are not`() async {
    let queue = queue(maximumByteCount: 100)
    await occupy(queue)

    for byteCount in [60, 41, 40, 101] { add("\(byteCount)", to: queue, byteCount: byteCount) }
    add("forced", to: queue, byteCount: 10, isForced: true)
    await run(queue)

    #expect(names == ["41 dropped", "101 dropped", "forced", "60", "40"])
  }

  @Test func `count their bytes also while they run, and not afterwards`() async {
    let queue = queue(maximumByteCount: 100)
    await occupy(queue, byteCount: 100)

    add("during", to: queue)
    await run(queue)
    add("after", to: queue, byteCount: 100)
    await queue.finish()

    #expect(names == ["during dropped", "after"])
  }

  @Test(arguments: [1, 2, 4])
  func `run at the same time up to the limit`(maximumRunning: Int) async {
    let queue = queue(maximumRunning: maximumRunning)
    await occupy(queue, count: maximumRunning)

    add("waits", to: queue)
    #expect(names == [])
    await run(queue)

    #expect(names == ["waits"])
  }

  @Test func `that wait or are added are dropped by the close, but for those that are forced`()
    async
  {
    let queue = queue()
    await occupy(queue)
    add("a", to: queue)
    add("forced 1", to: queue, isForced: true)

    queue.close()
    add("b", to: queue)
    add("forced 2", to: queue, isForced: true)
    #expect(names == ["a dropped", "b dropped"])
    await run(queue)

    #expect(names == ["a dropped", "b dropped", "forced 2", "forced 1"])
  }

  @Test func `the end of an idle queue is reached at once, and again after more work`() async {
    let queue = queue(maximumRunning: 4)

    await queue.finish()
    for number in 0..<100 { add("\(number)", to: queue) }
    await queue.finish()

    #expect(Set(names) == Set((0..<100).map { "\($0)" }))
    #expect(names.count == 100)
  }
}
