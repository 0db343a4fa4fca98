import Testing

@testable import CacheSimulation

@Suite struct `The server of a request` {
  private static let keyCount: UInt32 = 50_000

  private func shares(_ choice: ServerChoice, servers: Int) -> [Double] {
    var chooser = ServerChooser(choice, serverCount: servers)
    var counts = [Int](repeating: 0, count: servers)
    for key in 0..<Self.keyCount { counts[chooser.server(for: key)] += 1 }
    return counts.map { Double($0) * Double(servers) / Double(Self.keyCount) }
  }

  @Test(arguments: [1, 2, 3, 4, 10, 24, 64])
  func `a ring gives each server a share of the keys within a third of the mean`(_ servers: Int) {
    // 160 points: a standard deviation of 1 in the root of 160, 8 % of the mean; four of them.
    let shares = shares(.consistent, servers: servers)
    let variance = shares.reduce(0) { $0 + ($1 - 1) * ($1 - 1) } / Double(servers)

    #expect(shares.allSatisfy { abs($0 - 1) < 0.32 }, "\(shares)")
    #expect(variance.squareRoot() < 0.12)
  }

  @Test func `without hashing a server does not depend on the key, and results repeat`() {
    var first = ServerChooser(.none, serverCount: 3)
    var second = ServerChooser(.none, serverCount: 3)
    // Three keys in turn: taking turns would always bring a key to the same server.
    let keys = (0..<300).map { UInt32($0 % 3) }
    let chosen = keys.map { first.server(for: $0) }

    #expect(chosen == keys.reversed().map { second.server(for: $0) })
    for key in 0..<3 as Range<UInt32> {
      #expect(Set(zip(keys, chosen).filter { $0.0 == key }.map(\.1)) == [0, 1, 2])
    }
  }

  @Test func `a server that is lost moves its own keys only, to all others`() {
    let all = ConsistentHash(serverCount: 10)
    for lost in [0, 4, 9] {
      let rest = ConsistentHash(servers: (0..<10).filter { $0 != lost })
      var moved = 0
      var heirs: Set<Int> = []
      for key in 0..<Self.keyCount {
        let (before, after) = (all.server(for: key), rest.server(for: key))
        if before == lost {
          moved += 1
          heirs.insert(after)
        } else if before != after {
          Issue.record("key \(key) moved from \(before) to \(after) when \(lost) was lost")
        }
      }
      let share = Double(moved) / Double(Self.keyCount)

      #expect((0.068...0.132).contains(share), "\(lost): \(share)")
      #expect(heirs.count == 9 && !heirs.contains(lost))
    }
  }
}
