import Testing

@testable import ImageModel
@testable import LoadScheduling

@Suite struct `A line by priority` {
  private var line = PriorityFIFO<String>()

  private mutating func insert(_ elements: (PriorityFIFO<String>.ID, LoadPriority)...) {
    for (id, priority) in elements { line.insert("\(id)", id: id, priority: priority) }
  }

  /// All that wait, in their order.
  private var order: [PriorityFIFO<String>.ID] {
    var line = line
    var ids: [PriorityFIFO<String>.ID] = []
    while let first = line.popFirst() { ids.append(first.id) }
    return ids
  }

  @Test mutating func `that is empty has no first element`() {
    let isEnded = line.popFirst() == nil
    let priority = line.firstPriority()

    #expect(isEnded)
    #expect(priority == nil)
    #expect(line.isEmpty)
    #expect(line.count == 0)
  }

  @Test mutating func `returns an element with the priority under which it waited`() throws {
    insert((1, .low), (2, .high))

    let popped = line.popFirst()

    let first = try #require(popped)
    #expect(first.id == 2)
    #expect(first.element == "2")
    #expect(first.priority == .high)
    #expect(line.count == 1)
    #expect(!line.contains(2))
    #expect(line.priority(of: 2) == nil)
    #expect(line.contains(1))
    #expect(line.priority(of: 1) == .low)
  }

  @Test mutating func `returns a removed element never again`() {
    insert((1, .high), (2, .low), (3, .high))

    let removed = line.remove(1)
    let again = line.remove(1)

    #expect(removed == "1")
    #expect(again == nil)
    #expect(line.count == 2)
    #expect(order == [3, 2])
  }

  @Test mutating func `has the priority of the next element as its first after a removal`() {
    insert((1, .high), (2, .low))
    let before = line.firstPriority()

    line.remove(1)
    let after = line.firstPriority()

    #expect(before == .high)
    #expect(after == .low)
  }

  @Test mutating func `has no first priority once its last element is removed`() {
    insert((1, .high))

    line.remove(1)
    let first = line.firstPriority()

    #expect(first == nil)
    #expect(line.isEmpty)
  }

  @Test mutating func `puts a promoted element behind its new peers`() {
    insert((1, .low), (2, .high), (3, .high), (4, .low))

    line.move(4, to: .high)

    #expect(line.priority(of: 4) == .high)
    #expect(order == [2, 3, 4, 1])
  }

  @Test mutating func `puts a demoted element ahead of its new peers, the latest first`() {
    insert((1, .low), (2, .high), (3, .high), (4, .low))

    line.move(2, to: .low)
    line.move(3, to: .low)

    #expect(order == [3, 2, 1, 4])
  }

  @Test mutating func `keeps the place of an element that moves to its own priority`() {
    insert((1, .normal), (2, .normal), (3, .normal))

    line.move(1, to: .normal)
    line.move(3, to: .normal)

    #expect(order == [1, 2, 3])
  }

  @Test mutating func `does not change by a move of an element that does not wait`() {
    insert((1, .normal))

    line.move(2, to: .high)

    #expect(line.count == 1)
    #expect(!line.contains(2))
    #expect(order == [1])
  }

  @Test mutating func `returns an element once, however often it moved`() {
    insert((1, .normal), (2, .normal))

    for priority in [LoadPriority.high, .low, .high, .prefetch, .normal] {
      line.move(1, to: priority)
    }

    #expect(line.count == 2)
    #expect(order == [2, 1])
  }

  @Test mutating func `takes an element back at the place that it had`() throws {
    insert((1, .normal), (2, .normal), (3, .normal))
    let popped = line.popFirst()
    let first = try #require(popped)
    insert((4, .normal))

    line.insert(first.element, id: first.id, priority: first.priority, at: first.place)

    #expect(order == [1, 2, 3, 4])
  }

  @Test mutating func `takes the identity of a removed element again, at the end`() {
    insert((1, .normal), (2, .normal))
    line.remove(1)

    insert((1, .normal))

    #expect(line.count == 2)
    #expect(order == [2, 1])
  }

  @Test mutating func `keeps its order when most elements are removed`() {
    let priorities = LoadPriority.allCases
    for id in 0..<1000 { insert((UInt64(id), priorities[id % 4])) }

    for id in 0..<1000 where id % 100 > 7 { line.remove(UInt64(id)) }
    insert((1000, .high), (1001, .prefetch))

    #expect(line.count == 82)
    let remaining = (0..<1000).filter { $0 % 100 <= 7 }
    var expected: [UInt64] = []
    for (priority, last) in [(3, [1000]), (2, []), (1, []), (0, [1001])] {
      expected += (remaining.filter { $0 % 4 == priority } + last).map { UInt64($0) }
    }
    #expect(order == expected)
  }
}
