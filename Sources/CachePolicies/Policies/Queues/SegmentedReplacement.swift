/// A replacement algorithm over several queues; a slot's `place` is the index of its queue.
protocol SegmentedReplacement: Replacement {
  var queues: [SlotList] { get set }
}

extension SegmentedReplacement {
  mutating func push(_ slot: Int32, onto place: UInt8, _ slab: inout SlotSlab) {
    slab[slot].place = place
    slab.push(slot, onto: &queues[Int(place)])
  }

  mutating func popTail(of place: UInt8, _ slab: inout SlotSlab) -> Int32 {
    slab.popTail(of: &queues[Int(place)])
  }

  /// Moves a slot to the head of a queue, which may be its own.
  @inline(__always)
  mutating func move(_ slot: Int32, to place: UInt8, _ slab: inout SlotSlab) {
    if slab[slot].place == place { return slab.moveToHead(slot, of: &queues[Int(place)]) }
    unlink(slot, &slab)
    push(slot, onto: place, &slab)
  }

  mutating func unlink(_ slot: Int32, _ slab: inout SlotSlab) {
    slab.unlink(slot, from: &queues[Int(slab[slot].place)])
  }

  mutating func resized(_ slot: Int32, by difference: Int, _ slab: inout SlotSlab) {
    queues[Int(slab[slot].place)].size += difference
  }

  subscript(place: UInt8) -> SlotList { queues[Int(place)] }
}
