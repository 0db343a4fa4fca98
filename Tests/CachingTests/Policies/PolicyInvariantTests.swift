import Testing

@testable import CachePolicies
@testable import ImageModel

/// Invariants of every policy under any requests.
@Suite struct `Invariants of every policy` {
  /// As in a memory tier: values beside slots, dropped when their slots are evicted.
  private struct Tier {
    var cache: any EvictionOrder
    var capacity: Int
    var values: [Int32: (key: UInt64, size: Int)] = [:]

    mutating func settle() {
      for slot in cache.evicted { values[slot] = nil }
    }

    mutating func set(_ key: UInt64, size: Int) {
      if let slot = cache.slot(of: key) {
        cache.hit(slot)
        if values[slot]?.size != size {
          cache.resize(slot, to: size)
          values[slot]?.size = size
          settle()
        }
      } else {
        let slot = cache.insert(key, size: size)
        settle()
        if let slot { values[slot] = (key, size) }
      }
    }

    func expectSound(_ comment: Comment) {
      #expect(cache.size <= capacity, comment)
      #expect(cache.count == values.count, comment)
      #expect(cache.size == values.values.reduce(0) { $0 + $1.size }, comment)
      for (slot, value) in values {
        #expect(cache.slot(of: value.key) == slot, comment)
      }
    }
  }

  @Test(arguments: EvictionPolicy.all)
  func `the caller's values and the policy's slots agree after any calls`(
    _ name: EvictionPolicy
  ) {
    var random = SplitMix64(seed: 11)

    for round in 0..<60 {
      let capacity = Int.random(in: 0...120, using: &random)
      var tier = Tier(cache: name.order(capacity: capacity), capacity: capacity)
      for step in 0..<300 {
        let key = UInt64.random(in: 0..<40, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
          tier.capacity = Int.random(in: 0...120, using: &random)
          tier.cache.setCapacity(tier.capacity)
          tier.settle()
        case 1, 2:
          if let slot = tier.cache.slot(of: key) {
            tier.cache.remove(slot)
            tier.values[slot] = nil
            tier.settle()
          }
        default:
          // Mostly a few units, occasionally more than any cache here holds.
          let size = Int.random(in: 0...(step % 17 == 0 ? 150 : 9), using: &random)
          tier.set(key, size: size)
        }
        if tier.cache.size > tier.capacity || step % 10 == 0 {
          tier.expectSound("\(name), round \(round), step \(step)")
        }
      }
      tier.expectSound("\(name), round \(round)")
    }
  }

  @Test(arguments: EvictionPolicy.all)
  func `an entry is evicted for one that fits, not when removed, and all for less than no room`(
    _ name: EvictionPolicy
  ) throws {
    var cache = name.order(capacity: 10)
    for key: UInt64 in 0..<10 { _ = cache.insert(key, size: 1) }

    let tooLarge = cache.insert(99, size: 11)
    #expect(tooLarge == nil && cache.count == 10 && cache.evicted.isEmpty)
    cache.remove(try #require(cache.slot(of: 7)))
    #expect(cache.evicted.isEmpty && cache.slot(of: 7) == nil && cache.size == 9)
    _ = cache.insert(7, size: 1)
    #expect(cache.evicted.isEmpty && cache.size == 10)

    cache.setCapacity(-1)
    #expect(cache.count == 0 && cache.size == 0)
    #expect(Set(cache.evicted).count == 10)
    let refused = cache.insert(1, size: 1)
    #expect(refused == nil)
  }

  @Test func `keys with one hash are told apart`() {
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
}
