import DiskCaching
import Foundation
import ImageModel
import LoadScheduling

/// The disk tier compared with the system calls it needs. Bodies of 20 kB.
///
/// Both sides run on an executor of the cache, as a pipeline's tasks do: the cache is measured,
/// not a switch of threads, which ``switching`` measures.
enum DiskComparisons {
  static let all = [
    hit("hit, checksum compared", .always, mayCost: 3),
    hit("hit, checksum not compared", .never, mayCost: 2.5),
    miss("miss, first time", keys: 20_000, mayCost: 6),
    miss("miss, again", keys: 1000, mayCost: 4),
    write("store", .relaxed, count: 300, mayCost: 4),
    write("store, hashed", .relaxed, count: 300, hashing: true, mayCost: 2.5),
    write("store, strict", .strict, count: 30),
    write("store on 4 threads", .relaxed, count: 300, threads: 4, mayCost: 4),
    write(
      "store on 4 threads, hashed", .relaxed, count: 300, threads: 4, hashing: true, mayCost: 2.5),
    Comparison(
      "hit, 2 threads", beside: "1 thread", clock: .wall, count: 8000
    ) {
      let full = try await FullCache(.always)
      @Sendable func read(_ numbers: Range<Int>) async {
        for number in numbers {
          consume(await full.cache.read(full.keys[number % FullCache.count])?.bytes.count ?? 0)
        }
      }
      return Contest { count in
        await withTaskGroup { group in
          for range in [0..<count / 2, count / 2..<count] {
            group.addTask(executorPreference: full.executor) { await read(range) }
          }
        }
      } limit: { count in
        await withTaskExecutorPreference(full.executor) { await read(0..<count) }
      } end: {
        await full.remove()
      }
    },
    switching,
    part("SHA-256 and CRC-32C of 20 kB, for a store", count: 1000) { _ in
      let body = Payload.bytes(1)
      return { _ in body.withUnsafeBytes { consume(CacheContent(of: $0).byteCount) } }
    },
    part("a transaction of one row, for a store", count: 300) { cache in
      { number in try? await cache.setKept(number % 2 == 0, group: "benchmark") }
    },
  ]

  private static func open(
    _ folder: ScratchFolder, _ verification: DiskCache.ReadVerification = .always,
    _ durability: DiskCache.Durability = .relaxed, on executor: BlockingExecutor
  ) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: folder.path + "/cache")
    configuration.maximumByteCount = 1 << 40
    configuration.readVerification = verification
    configuration.durability = durability
    return try DiskCache(configuration, executor: executor)
  }

  /// A cache with entries in it.
  private struct FullCache {
    static let count = 1000
    let folder: ScratchFolder
    let executor: BlockingExecutor
    let cache: DiskCache
    let keys: [CacheKey]
    let paths: [String]

    init(_ verification: DiskCache.ReadVerification) async throws {
      folder = try ScratchFolder()
      executor = try BlockingExecutor(name: "disk", threadCount: 2)
      cache = try DiskComparisons.open(folder, verification, on: executor)
      keys = (0..<Self.count).map(Payload.key)
      var paths: [String] = []
      for number in 0..<Self.count {
        try await cache.store(Payload.bytes(number), Payload.record(number))
        paths.append(await cache.path(for: keys[number]) ?? "")
      }
      self.paths = paths
    }

    func remove() async {
      await cache.close()
      await executor.shutdown()
      folder.remove()
    }
  }

  /// A call from a task on Swift's own threads beside one from a task on the executor.
  private static let switching = Comparison(
    "record, from another thread", beside: "from the cache's thread", clock: .wall, count: 20_000
  ) {
    let full = try await FullCache(.always)
    @Sendable func look(_ count: Int) async {
      for index in 0..<count {
        consume(await full.cache.record(for: full.keys[index % 64])?.byteCount ?? 0)
      }
    }
    return Contest(
      ours: { await look($0) },
      limit: { count in await withTaskExecutorPreference(full.executor) { await look(count) } },
      end: { await full.remove() })
  }

  private static func hit(
    _ name: String, _ verification: DiskCache.ReadVerification, mayCost: Double
  ) -> Comparison {
    Comparison(name, beside: "open, fstat, pread, close", count: 4000, mayCost: mayCost) {
      let full = try await FullCache(verification)
      return Contest { count in
        await withTaskExecutorPreference(full.executor) {
          for index in 0..<count {
            let entry = await full.cache.read(full.keys[index % FullCache.count])
            precondition(entry?.bytes.count == Payload.byteCount)
          }
        }
      } limit: { count in
        for index in 0..<count {
          precondition(
            BareFiles.read(full.paths[index % FullCache.count]).count == Payload.byteCount)
        }
      } end: {
        await full.remove()
      }
    }
  }

  /// - Parameter keys: More than are remembered as absent, or so few that all are.
  private static func miss(_ name: String, keys count: Int, mayCost: Double) -> Comparison {
    Comparison(name, beside: "an open that fails", count: 20_000, mayCost: mayCost) {
      let full = try await FullCache(.always)
      let keys = (0..<count).map { Payload.key(1_000_000 + $0) }
      let paths = (0..<1000).map { "\(full.folder.path)/cache/blobs/00/\($0)" }
      return Contest { count in
        await withTaskExecutorPreference(full.executor) {
          for index in 0..<count {
            let entry = await full.cache.read(keys[index % keys.count])
            precondition(entry == nil)
          }
        }
      } limit: { count in
        for index in 0..<count { BareFiles.openMissing(paths[index % paths.count]) }
      } end: {
        await full.remove()
      }
    }
  }

  private static func write(
    _ name: String, _ durability: DiskCache.Durability, count: Int, threads: Int = 1,
    hashing: Bool = false, mayCost: Double? = nil
  ) -> Comparison {
    let isStrict = durability == .strict
    let calls = hashing ? "write, SHA-256, rename" : "write, rename"
    return Comparison(
      name, beside: isStrict ? "write, fsync, rename, fsync" : calls,
      // Waiting for the disk takes no processor time.
      clock: isStrict ? .wall : .processor, count: count, mayCost: mayCost
    ) {
      let folder = try ScratchFolder()
      let executor = try BlockingExecutor(name: "disk", threadCount: threads)
      let cache = try open(folder, .always, durability, on: executor)
      let bare = folder.path + "/bare"
      try FileManager.default.createDirectory(atPath: bare, withIntermediateDirectories: true)
      let bodies = (0..<count).map(Payload.bytes)
      let template = Payload.record(0)
      let (stored, written) = (Counter(), Counter())
      return Contest { count in
        await withTaskGroup { group in
          for thread in 0..<threads {
            group.addTask(executorPreference: executor) {
              for index in 0..<count / threads {
                let number = stored.next()
                // No two bodies are equal: equal ones would be stored once.
                var body = bodies[thread * (count / threads) + index]
                body.withUnsafeMutableBytes { $0.storeBytes(of: number, as: Int.self) }
                var record = template
                record.key = Payload.key(10_000_000 + number)
                do { try await cache.store(body, record) } catch { preconditionFailure("\(error)") }
              }
            }
          }
        }
      } limit: { count in
        onThreads(threads, count) { thread, count in
          for index in 0..<count {
            let body = bodies[thread * count + index]
            if hashing { body.withUnsafeBytes { consume(SHA256.hash(of: $0).hashValue) } }
            BareFiles.write(
              body, temporary: "\(bare)/temporary\(thread)",
              final: "\(bare)/\(written.next())", synchronizing: isStrict ? bare : nil)
          }
        }
      } end: {
        await cache.close()
        await executor.shutdown()
        folder.remove()
      }
    }
  }

  /// A part of a store, without a baseline.
  private static func part(
    _ name: String, count: Int,
    _ make: @escaping @Sendable (DiskCache) -> @Sendable (Int) async -> Void
  ) -> Comparison {
    Comparison(name, count: count) {
      let folder = try ScratchFolder()
      let executor = try BlockingExecutor(name: "disk", threadCount: 1)
      let cache = try open(folder, on: executor)
      let body = make(cache)
      return Contest { count in
        await withTaskExecutorPreference(executor) {
          for index in 0..<count { await body(index) }
        }
      } end: {
        await cache.close()
        await executor.shutdown()
        folder.remove()
      }
    }
  }
}
