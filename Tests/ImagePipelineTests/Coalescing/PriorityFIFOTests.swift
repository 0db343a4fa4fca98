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
