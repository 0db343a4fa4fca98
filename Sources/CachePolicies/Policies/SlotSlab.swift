/// The entries of a cache as numbered slots in one array, for all replacement algorithms.
///
/// A slot is a resident, or a ghost: a key that is remembered without its value. A resident keeps
/// its slot, so values can be stored beside it. Sizes are in the unit of the capacity: bytes, or 1
/// an object.
struct SlotSlab: Sendable {
  static let none: Int32 = -1

  /// A slot: 32 bytes.
  struct Node: Sendable {
    var key: UInt64
    var size = 0
    var previous = SlotSlab.none
    var next = SlotSlab.none
    /// The number of accesses, as the algorithm counts.
    var count: UInt32 = 0
    /// The algorithm's own.
    var mark: UInt16 = 0
    /// Which of the algorithm's lists it is in.
    var place: UInt8 = 0
    var isResident = false
  }

  var nodes: [Node] = []
  private var table: KeyTable
  private var firstFree = SlotSlab.none

  /// The limit of the sum of the residents' sizes.
  var capacity: Int
  /// The sum of the residents' sizes.
  private(set) var size = 0
  private(set) var count = 0
  /// Slots whose entries were evicted by the last call, in order. One of them may be in use again.
  private(set) var evicted: [Int32] = []

  /// A capacity so small that no sum of the sizes of residents, ghosts and a newcomer overflows.
  static func bounded(_ capacity: Int) -> Int { min(max(0, capacity), .max / 4) }

  init(capacity: Int, expectedCount: Int = 0) {
    self.capacity = capacity
    table = KeyTable(minimumCapacity: expectedCount)
    nodes.reserveCapacity(expectedCount)
  }

  /// Returns the slot of a key, resident or ghost, or ``none``.
  @inline(__always)
  func slot(of key: UInt64) -> Int32 { table.slot(of: key) { nodes[Int($0)].key == key } }

  @inline(__always)
  subscript(slot: Int32) -> Node {
    get { nodes[Int(slot)] }
    _modify { yield &nodes[Int(slot)] }
  }

  mutating func make(_ key: UInt64, size: Int) -> Int32 {
    let slot = makeGhost(key)
    revive(slot, size: size)
    return slot
  }

  mutating func makeGhost(_ key: UInt64) -> Int32 {
    let slot: Int32
    if firstFree != Self.none {
      slot = firstFree
      firstFree = nodes[Int(slot)].next
      nodes[Int(slot)] = Node(key: key)
    } else {
      slot = Int32(nodes.count)
      nodes.append(Node(key: key))
    }
    table.insert(key, slot: slot)
    return slot
  }

  /// Makes a ghost resident again, with its count and marks.
  mutating func revive(_ slot: Int32, size: Int) {
    nodes[Int(slot)].isResident = true
    nodes[Int(slot)].size = size
    self.size += size
    count += 1
  }

  /// Evicts a resident that is in no list, and frees its slot.
  mutating func evict(_ slot: Int32) {
    evicted.append(slot)
    remove(slot)
  }

  /// Evicts a resident and keeps it as a ghost.
  mutating func bury(_ slot: Int32) {
    evicted.append(slot)
    nodes[Int(slot)].isResident = false
    size -= nodes[Int(slot)].size
    count -= 1
  }

  /// Frees a slot that is in no list.
  mutating func remove(_ slot: Int32) {
    let node = nodes[Int(slot)]
    table.remove(node.key, slot: slot)
    if node.isResident {
      size -= node.size
      count -= 1
    }
    nodes[Int(slot)].isResident = false
    nodes[Int(slot)].next = firstFree
    firstFree = slot
  }

  mutating func resize(_ slot: Int32, to size: Int) {
    self.size += size - nodes[Int(slot)].size
    nodes[Int(slot)].size = size
  }

  mutating func forgetEvicted() {
    if !evicted.isEmpty { evicted.removeAll(keepingCapacity: true) }
  }
}
