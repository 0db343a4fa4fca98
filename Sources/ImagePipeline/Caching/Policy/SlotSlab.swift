/// The entries of a cache as numbered slots in one array: what every replacement policy works on.
///
/// A slot is a resident, or a ghost: a key that a policy remembers without its value. Numbers of residents do not
/// change, so values can lie beside them. Sizes are in the unit of the capacity: bytes, or 1 for each object.
package struct SlotSlab: Sendable {
  /// No slot.
  package static let none: Int32 = -1

  /// A slot: 32 bytes.
  struct Node: Sendable {
    var key: UInt64
    var size = 0
    var previous = SlotSlab.none
    var next = SlotSlab.none
    /// How often it was asked for, as the policy counts.
    var count: UInt32 = 0
    /// The policy's own.
    var mark: UInt16 = 0
    /// Which of the policy's lists it is in.
    var place: UInt8 = 0
    var isResident = false
  }

  var nodes: [Node] = []
  private var table: KeyTable
  private var firstFree = SlotSlab.none

  /// What the sizes of residents may sum up to.
  package internal(set) var capacity: Int
  /// What they sum up to.
  package private(set) var size = 0
  /// Residents.
  package private(set) var count = 0
  /// Slots whose entries were evicted by the last call, in order. One of them may have been given anew since.
  package private(set) var evicted: [Int32] = []

  init(capacity: Int, expectedCount: Int = 0) {
    self.capacity = capacity
    table = KeyTable(minimumCapacity: expectedCount)
    nodes.reserveCapacity(expectedCount)
  }

  /// The slot of a key, resident or ghost, or ``none``.
  @inline(__always)
  func slot(of key: UInt64) -> Int32 { table.slot(of: key, in: nodes) }

  @inline(__always)
  subscript(slot: Int32) -> Node {
    get { nodes[Int(slot)] }
    _modify { yield &nodes[Int(slot)] }
  }

  /// A new resident.
  mutating func make(_ key: UInt64, size: Int) -> Int32 {
    let slot = makeGhost(key)
    revive(slot, size: size)
    return slot
  }

  /// A new ghost.
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

  /// A ghost becomes resident again; its count and marks stay.
  mutating func revive(_ slot: Int32, size: Int) {
    nodes[Int(slot)].isResident = true
    nodes[Int(slot)].size = size
    self.size += size
    count += 1
  }

  /// A resident, in no list any more, goes; its slot is free.
  mutating func evict(_ slot: Int32) {
    evicted.append(slot)
    remove(slot)
  }

  /// A resident goes and is remembered as a ghost.
  mutating func bury(_ slot: Int32) {
    evicted.append(slot)
    nodes[Int(slot)].isResident = false
    size -= nodes[Int(slot)].size
    count -= 1
  }

  /// Frees a slot that is in no list any more.
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

  /// Changes the size of a resident.
  mutating func resize(_ slot: Int32, to size: Int) {
    self.size += size - nodes[Int(slot)].size
    nodes[Int(slot)].size = size
  }

  mutating func forgetEvicted() {
    if !evicted.isEmpty { evicted.removeAll(keepingCapacity: true) }
  }
}
