/// Elements waiting in order of priority; first in, first out inside one priority.
///
/// A binary heap; adding and taking cost O(log *n*). A removed or moved element leaves an empty
/// slot behind, which is skipped when it comes up, or swept when most slots are empty.
struct PriorityFIFO<Element> {
  typealias ID = UInt64

  /// A place inside one priority: lower ones go first.
  typealias Place = Int64

  private struct Slot {
    let id: ID
    let priority: LoadPriority
    let place: Place
    let stamp: UInt64

    func precedes(_ other: Slot) -> Bool {
      priority != other.priority ? priority > other.priority : place < other.place
    }
  }
  private struct Entry {
    let element: Element
    let priority: LoadPriority
    let stamp: UInt64
  }

  private var heap: [Slot] = []
  private var entries: [ID: Entry] = [:]
  private var lastStamp: UInt64 = 0
  private var lastPlace: Place = 0
  private var firstPlace: Place = 0

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  func contains(_ id: ID) -> Bool { entries[id] != nil }

  func priority(of id: ID) -> LoadPriority? { entries[id]?.priority }

  mutating func firstPriority() -> LoadPriority? {
    while let first = heap.first {
      if entries[first.id]?.stamp == first.stamp { return first.priority }
      removeTop()
    }
    return nil
  }

  /// Puts an element behind all others of its priority, or where it was before. `id` does not wait
  /// yet.
  mutating func insert(_ element: Element, id: ID, priority: LoadPriority, at place: Place? = nil) {
    lastStamp += 1
    if place == nil { lastPlace += 1 }
    entries[id] = Entry(element: element, priority: priority, stamp: lastStamp)
    heap.append(Slot(id: id, priority: priority, place: place ?? lastPlace, stamp: lastStamp))
    siftUp(heap.count - 1)
  }

  @discardableResult
  mutating func remove(_ id: ID) -> Element? {
    guard let entry = entries.removeValue(forKey: id) else { return nil }
    if heap.count > 2 * entries.count + 64 { sweep() }
    return entry.element
  }

  /// Gives a waiting element another priority: a demoted one goes ahead of its new peers, for it
  /// has waited where more was wanted; a promoted one goes behind them.
  mutating func move(_ id: ID, to priority: LoadPriority) {
    guard let entry = entries[id], entry.priority != priority else { return }
    entries[id] = nil
    if priority < entry.priority { firstPlace -= 1 }
    let place = priority < entry.priority ? firstPlace : nil
    insert(entry.element, id: id, priority: priority, at: place)
  }

  mutating func popFirst() -> (id: ID, element: Element, priority: LoadPriority, place: Place)? {
    guard firstPriority() != nil, let slot = heap.first,
      let entry = entries.removeValue(forKey: slot.id)
    else { return nil }
    removeTop()
    return (slot.id, entry.element, slot.priority, slot.place)
  }

  private mutating func removeTop() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    siftDown(0)
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      let left = 2 * parent + 1
      guard left < heap.count else { return }
      let right = left + 1
      let child = right < heap.count && heap[right].precedes(heap[left]) ? right : left
      guard heap[child].precedes(heap[parent]) else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }

  private mutating func sweep() {
    heap.removeAll { entries[$0.id]?.stamp != $0.stamp }
    heap.sort { $0.precedes($1) }
  }
}
