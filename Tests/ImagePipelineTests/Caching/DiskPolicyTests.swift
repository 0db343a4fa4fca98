import Testing

@testable import CachePolicies
@testable import DiskCaching
@testable import ImageModel

/// What the simulator says of the disk's policy against the disk itself.
@Suite struct `GDSF-TB on disk and in the simulator` {
  @Test(arguments: EvictionPolicy.all)
  func `a policy that is not a rank is refused`(policy: EvictionPolicy) {
    let directory = TemporaryDirectory()
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.policy = policy

    var code: ImageError.Code?
    do throws(ImageError) {
      _ = try DiskStore(configuration)
    } catch {
      code = error.code
    }

    #expect(code == (policy.runsOnDisk ? nil : .invalidArgument))
    #expect(policy.runsOnDisk == [.lru, .gdsf, .gdsfTB()].contains(policy))
  }

  @Test func `each request is a hit in both or in none`() throws {
    let directory = TemporaryDirectory()
    let clock = ManualClock()
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.setRoom(files: 150)
    configuration.policy = .gdsfTB()
    configuration.clock = { clock.now }
    let disk = try DiskStore(configuration)
    var simulated = PolicyCache(RankReplacement(GDSFTBRank()), capacity: 150 * 4096)
    // Whole blocks, as the disk counts them. Primes, so that no two ranks are equal: which of two
    // equals goes first the disk does not say.
    let sizes = [
      5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 71, 83, 97, 101,
    ].map { $0 * 4096 }
    var random = SplitMix64(seed: 41)
    var hits = 0

    for step in 0..<400 {
      let number = Int.random(in: 0..<Int.random(in: 1...20, using: &random), using: &random)
      let key = CacheKey.original(url: "https://example.com/\(number).jpg")
      let isHit = disk.read(key) != nil
      if isHit {
        disk.flush()
      } else {
        let bytes = [UInt8](repeating: UInt8(number), count: sizes[number])
        try disk.store(bytes, CacheRecord(key: key, at: clock.now))
      }
      clock.advance(by: 1)
      let isExpected = simulated.access(UInt64(number), size: sizes[number])
      #expect(isHit == isExpected, "step \(step), object \(number)")
      if isHit { hits += 1 }
    }

    #expect(hits > 40 && hits < 360)
    #expect(disk.statistics().entryCount == simulated.count)
    #expect(disk.statistics().byteCount == simulated.size)
  }
}
