/// Counts accesses to slots so that a count halves with sixteen further accesses for each resident.
///
/// A slot's count is in 256ths of an access, its mark the moment of its last access, in sixteenths
/// of a half-life.
struct FadingCounter: Sendable {
  /// The highest count, in accesses.
  static let limit: UInt32 = 15
  static let halfLife = 16
  /// One access, as a count.
  static let unit: UInt32 = 256

  /// The time so far, in sixteenths of a half-life.
  private var moment: UInt16 = 0
  private var accesses = 0

  /// 2 to the power of -*i*/16, in 65,536ths.
  private static let fading: [UInt32] = [
    65_536, 62_757, 60_097, 57_549, 55_109, 52_773, 50_535, 48_393,
    46_341, 44_376, 42_495, 40_693, 38_968, 37_316, 35_734, 34_219,
  ]

  @inline(__always)
  mutating func count(_ slot: Int32, _ slab: inout SlotSlab) {
    let moments = UInt32(moment &- slab[slot].mark)
    slab[slot].count = Self.counted(slab[slot].count, moments: moments)
    slab[slot].mark = moment
    accesses += 1
    if accesses >= Self.halfLife * max(slab.count, 16) / 16 {
      accesses = 0
      moment &+= 1
    }
  }

  /// Counts an access to a key that is not resident, whose ghost leaves the list or is made.
  mutating func countGhost(
    _ ghost: Int32, of key: UInt64, in ghosts: inout SlotList, _ slab: inout SlotSlab
  ) -> Int32 {
    var slot = ghost
    if slot == SlotSlab.none {
      slot = slab.makeGhost(key)
      slab[slot].mark = moment
    } else {
      slab.unlink(slot, from: &ghosts)
    }
    count(slot, &slab)
    return slot
  }

  @inline(__always)
  func count(of node: SlotSlab.Node) -> UInt32 {
    Self.faded(node.count, moments: UInt32(moment &- node.mark))
  }

  /// Returns a count after so many sixteenths of a half-life and one more access.
  @inline(__always)
  static func counted(_ count: UInt32, moments: UInt32) -> UInt32 {
    min(faded(count, moments: moments) + unit, limit * unit)
  }

  /// Returns a count after so many sixteenths of a half-life; less than a quarter of an access is 0.
  @inline(__always)
  static func faded(_ count: UInt32, moments: UInt32) -> UInt32 {
    if moments == 0 { return count }
    if moments > 16 * 15 { return 0 }
    let part = (count &* fading[Int(moments & 15)]) &>> 16
    let left = part &>> (moments &>> 4)
    return left < unit / 4 ? 0 : left
  }
}
