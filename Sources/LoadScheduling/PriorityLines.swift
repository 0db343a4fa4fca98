/// Elements in order of priority; first in, first out inside one priority. Adding and taking cost
/// O(1); nothing can be taken out of the middle, see ``PriorityFIFO`` for that.
struct PriorityLines<Element> {
  private struct Line {
    var elements: [Element?] = []
    var head = 0

    mutating func popFirst() -> Element? {
      guard head < elements.count else { return nil }
      let element = elements[head].take()
      head += 1
      if head == elements.count {
        elements.removeAll(keepingCapacity: true)
        head = 0
      } else if head >= 64, head > elements.count / 2 {
        elements.removeFirst(head)
        head = 0
      }
      return element
    }
  }
  private var lines = [Line](repeating: Line(), count: LoadPriority.allCases.count)

  private(set) var count = 0
  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element, priority: LoadPriority) {
    lines[priority.rawValue].elements.append(element)
    count += 1
  }

  mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    for index in lines.indices.reversed() {
      guard let element = lines[index].popFirst() else { continue }
      count -= 1
      return element
    }
    return nil
  }
}
