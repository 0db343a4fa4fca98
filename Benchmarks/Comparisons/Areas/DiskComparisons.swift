import Foundation
import ImagePipeline

/// The disk tier beside the system calls that it cannot do without. Bodies of 20 kB.
enum DiskComparisons {
  static let all = [
    hit("hit, checksum compared", .always, mayCost: 3),
    hit("hit, checksum not compared", .never, mayCost: 2.5),
    miss("miss, first time", keys: 20_000, mayCost: 6),
    miss("miss, again", keys: 1000, mayCost: 4),
    write("store", .relaxed, count: 300, mayCost: 8),
    write("store, strict", .strict, count: 30),
    write("store on 4 threads", .relaxed, count: 300, threads: 4),
    Comparison(
      "hit, 2 threads", beside: "1 thread", clock: .wall, count: 8000
    ) {
      let full = try FullCache(.always)
      let scaling = Contest.scaling {
        full.cache.read(full.keys[$0 % FullCache.count])?.bytes.count ?? 0
      }
      return Contest(ours: scaling.ours, limit: scaling.limit) { full.remove() }
    },
    part("SHA-256 and CRC-32C of 20 kB, for a store", count: 1000) { _ in
      let body = Payload.bytes(1)
      return { _ in body.withUnsafeBytes { consume(CacheContent(of: $0).byteCount) } }
    },
    part("a transaction of one row, for a store", count: 300) { cache in
      { number in try? cache.setState("\(number)", for: "benchmark") }
    },
  ]

  private static func open(
    _ folder: ScratchFolder, _ verification: DiskCache.ReadVerification = .always,
    _ durability: DiskCache.Durability = .relaxed
  ) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: folder.path + "/cache")
    configuration.maximumByteCount = 1 << 40
    configuration.readVerification = verification
    configuration.durability = durability
    return try DiskCache(configuration)
  }

  /// A cache with entries in it.
  private struct FullCache {
    static let count = 1000
    let folder: ScratchFolder
    let cache: DiskCache
    let keys: [CacheKey]
    let paths: [String]

    init(_ verification: DiskCache.ReadVerification) throws {
      folder = try ScratchFolder()
      cache = try DiskComparisons.open(folder, verification)
      for number in 0..<Self.count {
        try cache.store(Payload.bytes(number), Payload.record(number))
      }
      keys = (0..<Self.count).map(Payload.key)
      let cache = cache
      paths = keys.map { cache.path(for: $0) ?? "" }
    }

    func remove() {
      cache.close()
      folder.remove()
    }
  }

  private static func hit(
    _ name: String, _ verification: DiskCache.ReadVerification, mayCost: Double
  ) -> Comparison {
    Comparison(name, beside: "open, fstat, pread, close", count: 4000, mayCost: mayCost) {
      let full = try FullCache(verification)
      return Contest { count in
        for index in 0..<count {
          let entry = full.cache.read(full.keys[index % FullCache.count])
          precondition(entry?.bytes.count == Payload.byteCount)
        }
      } limit: { count in
        for index in 0..<count {
          precondition(
            BareFiles.read(full.paths[index % FullCache.count]).count == Payload.byteCount)
        }
      } end: {
        full.remove()
      }
    }
  }

  /// - Parameter keys: More than are remembered as absent, or so few that all are.
  private static func miss(_ name: String, keys count: Int, mayCost: Double) -> Comparison {
    Comparison(name, beside: "an open that fails", count: 20_000, mayCost: mayCost) {
      let full = try FullCache(.always)
      let keys = (0..<count).map { Payload.key(1_000_000 + $0) }
      let paths = (0..<1000).map { "\(full.folder.path)/cache/blobs/00/\($0)" }
      return Contest { count in
        for index in 0..<count { precondition(full.cache.read(keys[index % keys.count]) == nil) }
      } limit: { count in
        for index in 0..<count { BareFiles.openMissing(paths[index % paths.count]) }
      } end: {
        full.remove()
      }
    }
  }

  private static func write(
    _ name: String, _ durability: DiskCache.Durability, count: Int, threads: Int = 1,
    mayCost: Double? = nil
  ) -> Comparison {
    let isStrict = durability == .strict
    return Comparison(
      name, beside: isStrict ? "write, fsync, rename, fsync" : "write, rename",
      // What waits for the disk costs no processor.
      clock: isStrict || threads > 1 ? .wall : .processor, count: count, mayCost: mayCost
    ) {
      let folder = try ScratchFolder()
      let cache = try open(folder, .always, durability)
      let bare = folder.path + "/bare"
      try FileManager.default.createDirectory(atPath: bare, withIntermediateDirectories: true)
      let bodies = (0..<count).map(Payload.bytes)
      let template = Payload.record(0)
      let (stored, written) = (Counter(), Counter())
      return Contest { count in
        onThreads(threads, count) { thread, count in
          for index in 0..<count {
            let number = stored.next()
            // No two bodies are equal: equal ones would be stored once.
            var body = bodies[thread * count + index]
            body.withUnsafeMutableBytes { $0.storeBytes(of: number, as: Int.self) }
            var record = template
            record.key = Payload.key(10_000_000 + number)
            do { try cache.store(body, record) } catch { preconditionFailure("\(error)") }
          }
        }
      } limit: { count in
        onThreads(threads, count) { thread, count in
          for index in 0..<count {
            BareFiles.write(
              bodies[thread * count + index], temporary: "\(bare)/temporary\(thread)",
              final: "\(bare)/\(written.next())", synchronizing: isStrict ? bare : nil)
          }
        }
      } end: {
        cache.close()
        folder.remove()
      }
    }
  }

  /// A part of a store, which nothing stands beside.
  private static func part(
    _ name: String, count: Int, _ make: @escaping @Sendable (DiskCache) -> @Sendable (Int) -> Void
  ) -> Comparison {
    Comparison(name, count: count) {
      let folder = try ScratchFolder()
      let cache = try open(folder)
      let body = make(cache)
      return Contest { count in
        for index in 0..<count { body(index) }
      } end: {
        cache.close()
        folder.remove()
      }
    }
  }
}
