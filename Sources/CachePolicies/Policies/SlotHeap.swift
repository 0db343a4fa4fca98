/// Slots in the order of their ranks: a heap of four branches that stores each slot's place in it.
struct SlotHeap {
  struct Item {
    var rank: Double
    /// Among equal ranks the lowest of these goes first.
    var tie: UInt64
    var slot: Int32

    @inline(__always)
    static func < (left: Item, right: Item) -> Bool {
      left.rank < right.rank || (left.rank == right.rank && left.tie < right.tie)
    }
  }

  private var items: [Item] = []
  private var now: UInt64 = 0

  var first: Item? { items.first }

  /// Returns an item that goes after all earlier ones of its rank.
  @inline(__always)
  mutating func item(_ slot: Int32, rank: Double) -> Item {
    now += 1
    return Item(rank: rank, tie: now, slot: slot)
  }

  mutating func insert(_ item: Item, _ slab: inout SlotSlab) {
    items.append(item)
    rise(items.count - 1, item, &slab)
  }

  mutating func update(_ item: Item, _ slab: inout SlotSlab) {
    let at = Int(slab[item.slot].previous)
    if item < items[at] { rise(at, item, &slab) } else { sink(at, item, &slab) }
  }

  mutating func remove(_ slot: Int32, _ slab: inout SlotSlab) {
    let at = Int(slab[slot].previous)
    let last = items.removeLast()
    if last.slot == slot { return }
    if last < items[at] { rise(at, last, &slab) } else { sink(at, last, &slab) }
  }

  mutating func popFirst(_ slab: inout SlotSlab) -> Item? {
    guard let least = items.first else { return nil }
    remove(least.slot, &slab)
    return least
  }

  // A slot's place in the heap is in its link `previous`, which a heap does not need otherwise.

  private mutating func rise(_ start: Int, _ item: Item, _ slab: inout SlotSlab) {
    var at = start
    while at > 0 {
      let parent = (at - 1) / 4
      guard item < items[parent] else { break }
      items[at] = items[parent]
      slab[items[at].slot].previous = Int32(at)
      at = parent
    }
    items[at] = item
    slab[item.slot].previous = Int32(at)
  }

  private mutating func sink(_ start: Int, _ item: Item, _ slab: inout SlotSlab) {
    var at = start
    while true {
      let first = 4 * at + 1
      if first >= items.count { break }
      var least = first
      for child in first + 1..<max(first + 1, min(first + 4, items.count))
      where items[child] < items[least] { least = child }
      guard items[least] < item else { break }
      items[at] = items[least]
      slab[items[at].slot].previous = Int32(at)
      at = least
    }
    items[at] = item
    slab[item.slot].previous = Int32(at)
  }
}
