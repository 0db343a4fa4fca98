import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import ImagePipeline
@testable import LoadScheduling
@testable import TestSupport

@Suite struct `Disk cache and its threads`: OnDisk {
  let folder = CacheFolder()

  /// A cache whose stores call a hook on the thread that they run on.
  func openCache(
    on executor: BlockingExecutor? = nil,
    whileStoring hook: @escaping @Sendable (StoreStage) -> Void = { _ in }
  ) throws -> DiskCache {
    try DiskCache(folder.configuration { $0.stageHook = hook }, executor: executor)
  }

  @MainActor @Test func `a call from a task or the main actor runs on a thread of the cache`()
    async throws
  {
    let isOnOwnThread = Locked<[Bool]>([])
    let cache = try openCache { _ in
      isOnOwnThread.withLock { $0.append(BlockingExecutor.isCurrentThread) }
    }

    try await cache.store(bytes(1), record(1))
    try await Task.detached {
      #expect(!BlockingExecutor.isCurrentThread)
      try await cache.store(bytes(2), record(2))
      #expect(!BlockingExecutor.isCurrentThread)
    }.value

    #expect(Set(isOnOwnThread.withLock { $0 }) == [true])
  }

  @Test func `blocking calls leave Swift's threads to other tasks`() async throws {
    let gate = Gate()
    let cache = try openCache { if $0 == .written { gate.block() } }
    let stores = (0..<64).map { number in
      Task { try await cache.store(bytes(number), record(number)) }
    }
    await gate.arrivals(3)

    // Were Swift's threads blocked, this task would not run.
    let other = await Task.detached { 7 }.value

    #expect(other == 7)
    gate.open()
    for store in stores { _ = try await store.value }
  }

  /// The only thread is busy with this task: a call that waited for a thread would never end.
  @Test(arguments: [true, false])
  func `a call from a task on the given executor or another blocking one runs inline`(
    isOwn: Bool
  ) async throws {
    let own = try BlockingExecutor(name: "own", threadCount: 1)
    let caller = isOwn ? own : try BlockingExecutor(name: "other", threadCount: 1)
    let threads = Locked<[pthread_t]>([])
    let cache = try openCache(on: own) { stage in
      if stage == .written { threads.withLock { $0.append(pthread_self()) } }
    }
    if !isOwn { await own.shutdown() }

    let entry = try await withTaskExecutorPreference(caller) {
      let before = pthread_self()
      try await cache.store(bytes(1), record(1))
      threads.withLock { $0.append(before) }
      #expect(caller.pendingCount == 0)
      return await cache.read(key(1))
    }

    #expect(entry?.bytes == bytes(1))
    let found = threads.withLock { $0 }
    #expect(found.count == 2 && pthread_equal(found[0], found[1]) != 0)
    await caller.shutdown()
  }

  @Test func `a store and a read of a cancelled task are completed`() async throws {
    let gate = Gate()
    let cache = try openCache { if $0 == .written { gate.block() } }
    let store = Task { try await cache.store(bytes(1), record(1)) }
    await gate.arrivals(1)

    store.cancel()
    gate.open()
    let content = try await store.value.content

    #expect(content?.byteCount == 1000)
    let entry = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await cache.read(key(1))
    }.value
    #expect(entry?.bytes == bytes(1))
  }

  @Test func `a cache and its pipeline share one pool until the pipeline is closed`() async throws {
    let shared = Locked<BlockingExecutor?>(nil)
    let isShared = Locked<[Bool?]>([])
    let cache = try openCache { stage in
      guard stage == .written else { return }
      isShared.withLock { $0.append(shared.withLock { $0?.isCurrent }) }
    }
    var configuration = ImagePipeline.Configuration(fetcher: StubFetcher(returning: []))
    configuration.diskCache = cache
    // On threads of its own, which those of the pipeline replace.
    try await cache.store(bytes(1), record(1))
    let pipeline = try ImagePipeline(configuration)
    shared.withLock { $0 = pipeline.executor }

    try await cache.store(bytes(2), record(2))
    await pipeline.close()
    try await cache.store(bytes(3), record(3))

    #expect(isShared.withLock { $0 } == [nil, true, false])
  }

  @Test func `calls during the executor's shutdown all return`() async throws {
    for _ in 0..<20 {
      let executor = try BlockingExecutor(name: "own", threadCount: 3)
      let cache = try openCache(on: executor)
      try await withThrowingTaskGroup { group in
        for number in 0..<12 {
          group.addTask { try await cache.store(bytes(number), record(number)) }
          if number == 6 {
            group.addTask {
              await executor.shutdown(); return record(0)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect((0..<12).allSatisfy { cache.core.record(for: key($0)) != nil })
    }
  }

  @Test func `entries are read a page at a time, oldest first, and the loop may end early`()
    async throws
  {
    let cache = try openCache()
    for number in 0..<1_100 { try cache.core.storeNegative(record(number)) }

    var seen: [CacheKey] = []
    for await record in cache.entries() { seen.append(record.key) }
    var first: [CacheKey] = []
    for await record in cache.entries() {
      first.append(record.key)
      if first.count == 3 { break }
    }

    #expect(seen == (0..<1_100).map(key))
    #expect(first == (0..<3).map(key))
  }
}
