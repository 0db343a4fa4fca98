import ImageModel
import Testing

@testable import CachePolicies

@Suite struct `Notes of eviction` {
  @Test func `count requests up to fifteen`() {
    var note = EvictionNote()
    for request in 1...20 {
      note.countRequest(at: 1, residents: 100)
      #expect(note.count == UInt16(256 * min(request, 15)))
    }
    #expect(note.asked == 1)
    // Part of a moment fades nothing.
    note = EvictionNote(asked: 0, count: 1_000)
    note.countRequest(at: 99, residents: 100)
    #expect(note.count == 1_256)
  }

  @Test(arguments: [(16, 100), (100, 100), (1_000, 1_000), (0, 16), (-4, 16), (1, 16)])
  func `halve their count with sixteen requests for each resident, of which there are 16 at least`(
    residents: Int, counted: UInt32
  ) {
    let counted = residents == 16 ? 16 : counted
    var note = EvictionNote(asked: 5, count: 8 * 256)

    note.countRequest(at: 5 + 16 * counted, residents: residents)

    #expect(note.count == 5 * 256)
    #expect(note.asked == 5 + 16 * counted)
  }

  @Test func `have an age across the overflow of the logical time`() {
    let note = EvictionNote(asked: .max - 4)

    #expect(note.age(at: .max) == 4)
    #expect(note.age(at: 5) == 10)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `become ghosts with their time, class and count in sixteenths`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let key = random.next()
    let note = EvictionNote(
      asked: .random(in: 0 ... .max, using: &random), credit: 3,
      count: .random(in: 0...4_095, using: &random),
      kind: .random(in: 0 ... .max, using: &random))

    let ghost = EvictionGhost(key: key, note: note)

    #expect(ghost.isOf(key) && ghost.word != 0)
    #expect(ghost.note.asked == note.asked && ghost.note.kind == note.kind)
    #expect(ghost.note.count == note.count & ~15, "seed \(seed)")
    #expect(ghost.note.credit == 0)
    #expect(!ghost.isOf(key ^ 1 << 50))
    #expect(EvictionGhost(key: 1, note: EvictionNote(count: .max)).note.count == 255 << 4)
    // The ghost of a key whose upper bits are 0 is not an empty place.
    let low = EvictionGhost(key: 5, note: EvictionNote())
    #expect(low.word != 0 && low.isOf(5) && !EvictionGhost(word: 0).isOf(5))
  }

  // MARK: Reuse

  private func survival(_ requests: [(kind: UInt8, age: UInt32)]) -> ReuseSurvival {
    var survival = ReuseSurvival()
    for (kind, age) in requests {
      survival.hit(ReuseAge.bin(of: age), kind)
      _ = survival.isDue()
    }
    return survival
  }

  private var empty: SampledCache<SampledLRU>.Table {
    SampledCache<SampledLRU>.Table(ghosts: [UInt64](repeating: 0, count: 2_048))
  }

  @Test func `tell a class that returns soon from one that returns late or never`() {
    let soon = [(kind: UInt8, age: UInt32)](repeating: (1, 4), count: 3_000)
    let late = [(kind: UInt8, age: UInt32)](repeating: (2, 900), count: 3_000)
    var survival = survival(soon + late)
    for _ in 0..<3_000 { survival.end(ReuseAge.bin(of: 2_000), 3) }

    survival.learn(from: empty, at: 9_000)

    let densities = [1, 2, 3].map { survival.density(of: $0, age: 1) }
    #expect(densities[0] > 10 * densities[1])
    #expect(densities[1] > densities[2] && densities[2] >= 0)
    // Past the age at which they return, nothing more is expected than of others.
    #expect(survival.density(of: 1, age: 2_000) < densities[0] / 10)
  }

  @Test func `learn at first after 256 requests, then ever more seldom`() {
    var survival = ReuseSurvival()
    var gaps: [Int] = []
    var requests = 0
    while gaps.count < 60 {
      requests += 1
      if survival.isDue() {
        survival.learn(from: empty, at: 1)
        gaps.append(requests)
        requests = 0
      }
    }

    #expect(gaps.prefix(3) == [256, 288, 324])
    #expect(gaps == gaps.sorted() && gaps.last == 16_384)
  }

  @Test func `of an unknown class count as those of the last one`() {
    var survival = survival([(kind: UInt8, age: UInt32)](repeating: (255, 4), count: 500))

    survival.learn(from: empty, at: 600)

    let last = UInt8(HitDensity.classCount - 1)
    #expect(survival.density(of: 255, age: 2) == survival.density(of: last, age: 2))
    #expect(survival.density(of: 255, age: .max).isFinite)
  }
}
