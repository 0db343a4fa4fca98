/// A queue of slots, linked through the slab: pushed at the head, popped at the tail.
struct SlotList: Sendable {
  var head = SlotSlab.none
  var tail = SlotSlab.none
  var count = 0
  /// The sum of its slots' sizes.
  var size = 0

  var isEmpty: Bool { count == 0 }
}

extension SlotSlab {
  @inline(__always)
  mutating func push(_ slot: Int32, onto list: inout SlotList) {
    nodes[Int(slot)].previous = Self.none
    nodes[Int(slot)].next = list.head
    if list.head == Self.none { list.tail = slot } else { nodes[Int(list.head)].previous = slot }
    list.head = slot
    list.count += 1
    list.size += nodes[Int(slot)].size
  }

  @inline(__always)
  mutating func unlink(_ slot: Int32, from list: inout SlotList) {
    let node = nodes[Int(slot)]
    if node.previous == Self.none {
      list.head = node.next
    } else {
      nodes[Int(node.previous)].next = node.next
    }
    if node.next == Self.none {
      list.tail = node.previous
    } else {
      nodes[Int(node.next)].previous = node.previous
    }
    list.count -= 1
    list.size -= node.size
  }

  @inline(__always)
  mutating func moveToHead(_ slot: Int32, of list: inout SlotList) {
    if list.head == slot { return }
    unlink(slot, from: &list)
    push(slot, onto: &list)
  }

  mutating func popTail(of list: inout SlotList) -> Int32 {
    let slot = list.tail
    unlink(slot, from: &list)
    return slot
  }
}
