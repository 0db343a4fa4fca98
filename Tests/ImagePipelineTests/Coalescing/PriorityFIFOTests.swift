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
}

/// Queues by priority against sorted arrays.
@Suite struct `Lines by priority against a model` {
  private struct Waiting {
    let id: UInt64
    var priority: LoadPriority
    /// Lower ones go first inside a priority.
    var place: Int
  }

  private func priority(_ random: inout SplitMix64) -> LoadPriority {
    LoadPriority.allCases.randomElement(using: &random) ?? .normal
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `return the first of the highest priority, after any moves and removals`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var line = PriorityFIFO<UInt64>()
    var model: [Waiting] = []
    var (next, front, back): (UInt64, Int, Int) = (1, 0, 0)
    for step in 0..<1_500 {
      switch random.next() % 10 {
      case 0...3:
        let priority = priority(&random)
        back += 1
        line.insert(next, id: next, priority: priority)
        model.append(Waiting(id: next, priority: priority, place: back))
        next += 1
      case 4...5:
        guard let at = model.indices.randomElement(using: &random) else { continue }
        let priority = priority(&random)
        let old = model[at].priority
        line.move(model[at].id, to: priority)
        if priority < old {
          front -= 1
          (model[at].priority, model[at].place) = (priority, front)
        } else if priority > old {
          back += 1
          (model[at].priority, model[at].place) = (priority, back)
        }
      case 6:
        guard let at = model.indices.randomElement(using: &random) else { continue }
        #expect(line.remove(model[at].id) == model[at].id, "seed \(seed), step \(step)")
        model.remove(at: at)
      case 7: #expect(line.remove(next + 5) == nil, "seed \(seed), step \(step)")
      default:
        let first = model.indices.max {
          (model[$0].priority, -model[$0].place) < (model[$1].priority, -model[$1].place)
        }
        let expected = first.map { model.remove(at: $0) }
        let priority = line.firstPriority()
        let popped = line.popFirst()
        #expect(priority == expected?.priority, "seed \(seed), step \(step)")
        #expect(popped?.id == expected?.id, "seed \(seed), step \(step)")
        if popped?.id != expected?.id { return }
      }
      #expect(line.count == model.count, "seed \(seed), step \(step)")
    }
    #expect(model.allSatisfy { line.contains($0.id) && line.priority(of: $0.id) == $0.priority })
  }

  @Test(arguments: 21...26 as ClosedRange<UInt64>)
  func `without removals are in order of their insertion`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var lines = PriorityLines<Int>()
    var model = [[Int]](repeating: [], count: LoadPriority.allCases.count)
    for number in 0..<4_000 {
      // Phases of growth and of shrinking, so that a line moves its elements to its beginning.
      if random.next() % 8 < (number / 500 % 2 == 0 ? 6 : 2) {
        let priority = priority(&random)
        lines.append(number, priority: priority)
        model[priority.rawValue].append(number)
      } else {
        let line = model.lastIndex { !$0.isEmpty }
        let expected = line.map { model[$0].removeFirst() }
        #expect(lines.popFirst() == expected, "seed \(seed), number \(number)")
      }
      let count = model.reduce(0) { $0 + $1.count }
      #expect(lines.count == count && lines.isEmpty == (count == 0), "seed \(seed)")
    }
  }
}
