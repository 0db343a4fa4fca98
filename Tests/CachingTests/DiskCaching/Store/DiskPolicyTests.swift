import Testing

@testable import CachePolicies
@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

/// The simulator's result for a policy on disk against the disk itself.
@Suite struct `Policies on disk and in the simulator` {
  @Test(.isLong, arguments: DiskEvictionPolicy.all, [false, true])
  func `each request hits in both or in neither`(
    policy: DiskEvictionPolicy, refusesNewcomers: Bool
  ) throws {
    let directory = TemporaryDirectory()
    let clock = ManualClock()
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.setRoom(files: 400)
    configuration.policy = policy
    configuration.refusesNewcomers = refusesNewcomers
    configuration.evictionSeed = 7
    configuration.clock = { clock.now }
    let disk = try DiskStore(configuration)
    func simulated(_ policy: some SampledPolicy) -> any SampledCacheUse {
      SampledCache(policy, capacity: 400 * 4096, refusesNewcomers: refusesNewcomers, seed: 7)
    }
    var simulated = simulated(policy.sampled)
    var random = SplitMix64(seed: 41)
    var hits = 0
    var (evictions, refusals) = (0, 0)

    for step in 0..<2500 {
      // More than fit, in whole blocks as the disk counts them, so many that samples are taken.
      let number = Int.random(in: 0..<Int.random(in: 1...900, using: &random), using: &random)
      let key = CacheKey.original(url: "https://example.com/\(number).jpg")
      let size = (1 + number % 3) * 4096
      let isHit = disk.read(key) != nil
      if !isHit {
        let bytes = withUnsafeBytes(of: number) { Array($0) }
        do throws(ImageError) {
          try disk.store(
            bytes + [UInt8](repeating: 0, count: size - bytes.count),
            CacheRecord(key: key, at: clock.now))
        } catch {
          guard error.code == .notAdmitted else { throw error }
          refusals += 1
        }
      }
      clock.advance(by: 1)
      let isExpected = simulated.access(key.indexHash, size: size, evictions: &evictions)
      #expect(isHit == isExpected, "step \(step), object \(number)")
      if isHit != isExpected { return }
      if isHit { hits += 1 }
    }

    #expect(hits > 500)
    #expect(evictions > (refusals > 0 ? 100 : 500))
    // GDSF ranks a newcomer above its last victim, so that it hardly ever refuses one here.
    #expect(refusals == 0 || refusesNewcomers && policy != .lru)
    #expect(refusals > 50 || !refusesNewcomers || policy != .lhdTB(), "\(refusals)")
    #expect(disk.statistics().total[.refusals] ?? 0 == refusals)
    #expect(disk.statistics().total[.storeFailures] == nil)
    #expect(disk.statistics().entryCount == simulated.count)
    #expect(disk.statistics().byteCount == simulated.byteCount)
    #expect(disk.statistics().total[.evictions] == evictions)
  }

  @Test func `the next process continues with the learned state`() throws {
    let directory = TemporaryDirectory()
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.policy = .lhdTB()
    func work(_ disk: DiskStore) throws {
      for number in 0..<300 {
        let key = CacheKey.original(url: "\(number % 40)")
        if disk.read(key) == nil { try disk.store([1, 2], CacheRecord(key: key, at: .init())) }
      }
    }
    let first = try DiskStore(configuration)
    try work(first)
    let learned = first.eviction.withLock { $0.snapshot() }
    first.close()

    let second = try DiskStore(configuration)

    #expect(!learned.isEmpty)
    #expect(second.eviction.withLock { $0.snapshot() } == learned)
  }
}

/// A simulated cache under any policy.
private protocol SampledCacheUse {
  var count: Int { get }
  var byteCount: Int { get }
  mutating func access(_ key: UInt64, size: Int, evictions: inout Int) -> Bool
}

extension SampledCache: SampledCacheUse {}
