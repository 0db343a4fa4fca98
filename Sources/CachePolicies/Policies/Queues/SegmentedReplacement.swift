/// A replacement algorithm over several queues; a slot's `place` is the index of its queue.
protocol SegmentedReplacement: Replacement {
  var queues: SlotQueues { get set }
}

/// As many queues as an algorithm needs, at most four. An array would cost a hit more.
struct SlotQueues: Sendable {
  private var lists = (SlotList(), SlotList(), SlotList(), SlotList())

  @inline(__always)
  subscript(place: UInt8) -> SlotList {
    get {
      switch place {
      case 0: lists.0
      case 1: lists.1
      case 2: lists.2
      default: lists.3
      }
    }
    _modify {
      switch place {
      case 0: yield &lists.0
      case 1: yield &lists.1
      case 2: yield &lists.2
      default: yield &lists.3
      }
    }
  }
}

extension SegmentedReplacement {
  @inline(__always)
  mutating func push(_ slot: Int32, onto place: UInt8, _ slab: inout SlotSlab) {
    slab[slot].place = place
    slab.push(slot, onto: &queues[place])
  }

  mutating func popTail(of place: UInt8, _ slab: inout SlotSlab) -> Int32 {
    slab.popTail(of: &queues[place])
  }

  /// Moves a slot to the head of a queue, which may be its own.
  @inline(__always)
  mutating func move(_ slot: Int32, to place: UInt8, _ slab: inout SlotSlab) {
    if queues[place].head == slot { return }
    unlink(slot, &slab)
    push(slot, onto: place, &slab)
  }

  @inline(__always)
  mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) {
    slab.unlink(slot, from: &queues[slab[slot].place])
  }

  mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    queues[slab[slot].place].size += difference
  }

  @inline(__always)
  subscript(place: UInt8) -> SlotList { queues[place] }
}
