import ImageModel
import Testing

@testable import CachePolicies

/// The table, heap and lists under every policy, against dictionaries and arrays.
@Suite struct `Slots of a cache` {
  @Test(arguments: [0, 10, 1_000])
  func `are found by their keys after any insertions and removals`(expected: Int) {
    var random = SplitMix64(seed: 13)
    var table = KeyTable(minimumCapacity: expected)
    var keys: [Int32: UInt64] = [:]
    var slots: [UInt64: Int32] = [:]
    for step in 0..<20_000 {
      // Grows to some hundred keys, then shrinks, and so on.
      let key = UInt64.random(in: 0..<700, using: &random)
      let isGrowing = step / 3_000 % 2 == 0
      if let slot = slots[key] {
        #expect(table.slot(of: key) { keys[$0] == key } == slot)
        if !isGrowing || step % 4 == 0 {
          table.remove(key, slot: slot)
          slots[key] = nil
        }
      } else {
        #expect(table.slot(of: key) { keys[$0] == key && slots[key] == $0 } == SlotSlab.none)
        if isGrowing || step % 4 == 0 {
          table.insert(key, slot: Int32(step))
          keys[Int32(step)] = key
          slots[key] = Int32(step)
        }
      }
    }

    #expect(slots.count > 10)
    for (key, slot) in slots { #expect(table.slot(of: key) { keys[$0] == key } == slot) }
  }

  @Test func `of keys with one hash are told apart`() {
    var table = KeyTable()
    // The hash is the upper half of the product with this number: products that are small have the
    // hash 0.
    let factor: UInt64 = 0x9e37_79b9_7f4a_7c15
    let inverse = (0..<6).reduce(factor) { inverse, _ in inverse &* (2 &- factor &* inverse) }
    let keys = (1...10 as ClosedRange<UInt64>).map { $0 &* inverse }
    #expect(keys.allSatisfy { $0 &* factor <= 10 })
    for (slot, key) in keys.enumerated() { table.insert(key, slot: Int32(slot)) }

    table.remove(keys[3], slot: 3)

    for (slot, key) in keys.enumerated() {
      let found = table.slot(of: key) { keys[Int($0)] == key }
      #expect(found == (slot == 3 ? SlotSlab.none : Int32(slot)))
    }
  }

  @Test func `leave a heap by rank, and of equal ranks the oldest first`() throws {
    var random = SplitMix64(seed: 19)
    var slab = SlotSlab(capacity: .max)
    var heap = SlotHeap()
    var items: [Int32: (rank: Double, tie: UInt64)] = [:]
    func least() -> Int32? {
      items.min { ($0.value.rank, $0.value.tie) < ($1.value.rank, $1.value.tie) }?.key
    }

    for step in 0..<3_000 {
      let rank = Double(Int.random(in: 0..<30, using: &random))
      let item = SlotHeap.Item(
        rank: rank, tie: UInt64(step),
        slot: items.count < 60 ? Int32(slab.nodes.count) : Int32.random(in: 0..<60, using: &random))
      if items[item.slot] != nil {
        if step % 3 == 0 {
          heap.remove(item.slot, &slab)
          items[item.slot] = nil
          #expect(heap.first?.slot == least())
          continue
        }
        heap.update(item, &slab)
      } else {
        if Int(item.slot) == slab.nodes.count { _ = slab.make(UInt64(step), size: 1) }
        heap.insert(item, &slab)
      }
      items[item.slot] = (rank, UInt64(step))
      #expect(heap.first?.slot == least())
      #expect(heap.count == items.count)
    }

    while let first = heap.first {
      #expect(first.slot == least())
      heap.remove(first.slot, &slab)
      items[first.slot] = nil
    }
    #expect(items.isEmpty)
  }

  @Test func `are in a list from the newest to the oldest, with their count and size`() {
    var slab = SlotSlab(capacity: 100)
    var list = SlotList()
    let slots = (0..<5).map { slab.make(UInt64($0), size: $0 + 1) }
    func order() -> [Int32] {
      var order: [Int32] = []
      var at = list.head
      while at != SlotSlab.none {
        order.append(at)
        at = slab[at].next
      }
      return order
    }

    for slot in slots { slab.push(slot, onto: &list) }
    #expect(order() == [4, 3, 2, 1, 0])
    slab.moveToHead(slots[2], of: &list)
    slab.moveToHead(slots[2], of: &list)
    #expect(order() == [2, 4, 3, 1, 0])
    slab.unlink(slots[4], from: &list)
    #expect(order() == [2, 3, 1, 0])
    #expect(list.count == 4 && list.size == 10)
    #expect((0..<4).map { _ in slab.popTail(of: &list) } == [0, 1, 3, 2])
    #expect(list.isEmpty && list.size == 0)
    #expect(list.head == SlotSlab.none && list.tail == SlotSlab.none)
  }

  @Test func `are used again once they are free, the last freed one first`() {
    var slab = SlotSlab(capacity: 100)
    let slots = (0..<3).map { slab.make(UInt64($0), size: 10) }
    slab.remove(slots[0])
    slab.evict(slots[2])

    #expect(slab.evicted == [slots[2]])
    #expect(slab.count == 1 && slab.size == 10)
    #expect(slab.makeGhost(7) == slots[2])
    #expect(slab.make(8, size: 3) == slots[0])
    #expect(slab.make(9, size: 3) == 3)
    // A ghost is found, and is not an entry.
    #expect(slab.slot(of: 7) == slots[2])
    #expect(slab.count == 3 && slab.size == 16)
  }

  @Test func `become ghosts that keep their keys, and residents again with another size`() {
    var slab = SlotSlab(capacity: 100)
    let slot = slab.make(5, size: 10)
    slab[slot].count = 3

    slab.bury(slot)
    #expect(slab.evicted == [slot] && slab.count == 0 && slab.size == 0)
    #expect(slab.slot(of: 5) == slot && !slab[slot].isResident)
    slab.forgetEvicted()
    slab.revive(slot, size: 4)

    #expect(slab.evicted.isEmpty)
    #expect(slab.count == 1 && slab.size == 4 && slab[slot].count == 3)
  }
}
