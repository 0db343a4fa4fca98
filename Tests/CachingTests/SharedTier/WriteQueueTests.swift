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
    var limits = SharedTier.WaitingWrites()
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

  /// Occupies one place until the gate opens.
  private func occupy(_ queue: WriteQueue, byteCount: Int = 0) {
    queue.add(byteCount: byteCount) { [gate] in await gate.wait() }
  }

  private var names: [String] { events.withLock { $0 } }

  @Test func `run in the order in which they were added`() async {
    let queue = queue()
    occupy(queue)
    await gate.arrivals(1)

    for name in ["a", "b", "c"] { add(name, to: queue) }
    gate.open()
    await queue.finish()

    #expect(names == ["a", "b", "c"])
    #expect(queue.droppedCount == 0)
  }

  @Test func `that are forced run before all others, the latest first`() async {
    let queue = queue()
    occupy(queue)
    await gate.arrivals(1)

    add("a", to: queue)
    add("forced 1", to: queue, isForced: true)
    add("forced 2", to: queue, isForced: true)
    gate.open()
    await queue.finish()

    #expect(names == ["forced 2", "forced 1", "a"])
  }

  @Test func `are dropped at once where too many wait`() async {
    let queue = queue(maximumCount: 2)
    occupy(queue)
    await gate.arrivals(1)

    for name in ["a", "b", "c", "d"] { add(name, to: queue) }
    let dropped = names
    gate.open()
    await queue.finish()

    #expect(dropped == ["c dropped", "d dropped"])
    #expect(names == ["c dropped", "d dropped", "a", "b"])
    #expect(queue.droppedCount == 2)
  }

  @Test func `are dropped where they have too many bytes, and smaller ones are not`() async {
    let queue = queue(maximumByteCount: 100)
    occupy(queue)
    await gate.arrivals(1)

    add("60", to: queue, byteCount: 60)
    add("41", to: queue, byteCount: 41)
    add("40", to: queue, byteCount: 40)
    gate.open()
    await queue.finish()

    #expect(names == ["41 dropped", "60", "40"])
  }

  @Test func `count their bytes also while they run, and not afterwards`() async {
    let queue = queue(maximumByteCount: 100)
    occupy(queue, byteCount: 100)
    await gate.arrivals(1)

    add("during", to: queue)
    gate.open()
    await queue.finish()
    add("after", to: queue, byteCount: 100)
    await queue.finish()

    #expect(names == ["during dropped", "after"])
  }

  @Test func `with more bytes than may wait in all are never taken`() async {
    let queue = queue(maximumByteCount: 100)

    add("large", to: queue, byteCount: 101)

    #expect(names == ["large dropped"])
    #expect(queue.droppedCount == 1)
    await queue.finish()
  }

  @Test func `that are forced are taken although the queue is full`() async {
    let queue = queue(maximumCount: 1, maximumByteCount: 10)
    occupy(queue)
    await gate.arrivals(1)
    add("a", to: queue, byteCount: 10)

    add("forced", to: queue, byteCount: 10, isForced: true)
    gate.open()
    await queue.finish()

    #expect(names == ["forced", "a"])
    #expect(queue.droppedCount == 0)
  }

  @Test(arguments: [1, 2, 4])
  func `run at the same time up to the limit`(maximumRunning: Int) async {
    let queue = queue(maximumRunning: maximumRunning)
    for _ in 0..<maximumRunning { occupy(queue) }
    await gate.arrivals(maximumRunning)

    add("waits", to: queue)
    let before = names
    gate.open()
    await queue.finish()

    #expect(before == [])
    #expect(names == ["waits"])
  }

  @Test func `that wait are dropped at the close, but for those that are forced`() async {
    let queue = queue()
    occupy(queue)
    await gate.arrivals(1)
    add("a", to: queue)
    add("forced", to: queue, isForced: true)
    add("b", to: queue)

    queue.close()
    let dropped = names
    gate.open()
    await queue.finish()

    #expect(dropped == ["a dropped", "b dropped"])
    #expect(names == ["a dropped", "b dropped", "forced"])
  }

  @Test func `that are added after the close are dropped, but for those that are forced`()
    async
  {
    let queue = queue()
    queue.close()

    add("a", to: queue)
    add("forced", to: queue, isForced: true)
    await queue.finish()

    #expect(names == ["a dropped", "forced"])
    #expect(queue.droppedCount == 1)
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
