import Foundation
import ImagePipeline

/// The cache beside the bare system calls, both in one run.
struct Speed {
  private let folder: String
  private let byteCount: Int
  private let entryCount: Int
  private let rounds: Int
  private let what: String
  private let threads: Int

  init(_ arguments: Arguments) {
    folder = arguments.text("dir", default: NSTemporaryDirectory() + "cache-speed")
    byteCount = arguments.number("bytes", default: 20_000)
    entryCount = arguments.number("entries", default: 1000)
    threads = arguments.number("threads", default: 4)
    what = arguments.text("only")
    rounds = arguments.number("rounds", default: 7)
  }

  func run() throws {
    try? FileManager.default.removeItem(atPath: folder)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    print("| what | system calls, µs | cache, µs | ratio |\n|---|---|---|---|")
    if what.isEmpty || what == "hits" {
      try hits(.never, "hit, checksum off")
      try hits(.always, "hit, checksum on")
      try misses()
    }
    if what.isEmpty || what == "writes" {
      try writes(.relaxed, "write")
      try writes(.strict, "write, strict")
      if threads > 0 { try writesOnThreads(threads) }
      try floor()
    }
  }

  private func open(
    _ name: String, _ verification: DiskCache.ReadVerification = .always,
    _ durability: DiskCache.Durability = .relaxed
  ) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: folder + "/" + name)
    configuration.maximumByteCount = 1 << 40
    configuration.readVerification = verification
    configuration.durability = durability
    return try DiskCache(configuration)
  }

  private func compare(_ name: String, _ bare: (Int) -> Double, _ cache: (Int) throws -> Double)
    rethrows
  {
    var (bares, caches, ratios): ([Double], [Double], [Double]) = ([], [], [])
    for round in 0..<rounds {
      bares.append(bare(round))
      caches.append(try cache(round))
      ratios.append(caches[round] / bares[round])
    }
    print(
      "| \(name) | \(Stopwatch.summary(bares)) | \(Stopwatch.summary(caches)) | \(Stopwatch.summary(ratios)) |"
    )
  }

  private func hits(_ verification: DiskCache.ReadVerification, _ name: String) throws {
    let cache = try open("hits", verification)
    var paths: [String] = []
    for number in 0..<entryCount {
      if cache.record(for: Payload.key(number)) == nil {
        try cache.store(Payload.bytes(number, count: byteCount), Payload.record(number))
      }
      paths.append(cache.path(for: Payload.key(number)) ?? "")
    }
    let keys = (0..<entryCount).map { Payload.key($0) }
    var sink = 0
    compare(name) { _ in
      Stopwatch.microseconds(entryCount * 10) { sink += Bare.read(paths[$0 % entryCount]).count }
    } _: { _ in
      Stopwatch.microseconds(entryCount * 10) {
        sink += cache.read(keys[$0 % entryCount])?.bytes.count ?? 0
      }
    }
    precondition(sink == 2 * rounds * entryCount * 10 * byteCount)
  }

  private func misses() throws {
    let cache = try open("hits")
    let paths = (0..<entryCount).map { "\(folder)/hits/blobs/00/\($0)" }
    // More keys than are remembered as absent, and so few that all are.
    for (count, name) in [(20_000, "miss"), (entryCount, "miss, again")] {
      let keys = (0..<count).map { Payload.key(1_000_000 + $0) }
      compare(name) { _ in
        Stopwatch.microseconds(20_000) { Bare.openMissing(paths[$0 % entryCount]) }
      } _: { _ in
        Stopwatch.microseconds(20_000) { _ = cache.read(keys[$0 % count]) }
      }
    }
  }

  /// What a store cannot do without beside the file: the hash, and a transaction that changes one row.
  private func floor() throws {
    let cache = try open("floor")
    try cache.setState("0", for: "floor")
    let body = Payload.bytes(1, count: byteCount)
    var (hashes, commits): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
      hashes.append(
        Stopwatch.microseconds(entryCount) { _ in
          _ = body.withUnsafeBytes { CacheContent(of: $0) }
        })
      commits.append(
        try Stopwatch.microseconds(entryCount) { try cache.setState("\($0)", for: "floor") })
    }
    print("| SHA-256 and CRC-32C | | \(Stopwatch.summary(hashes)) | |")
    print("| a transaction of one row | | \(Stopwatch.summary(commits)) | |")
  }

  private func writes(_ durability: DiskCache.Durability, _ name: String) throws {
    let cache = try open("writes-\(durability)", .always, durability)
    let bodies = (0..<entryCount).map { Payload.bytes($0, count: byteCount) }
    var record = Payload.record(0)
    try FileManager.default.createDirectory(
      atPath: folder + "/bare", withIntermediateDirectories: true)
    var next = 0
    // A synchronised write takes a hundred times as long.
    let count = durability == .strict ? entryCount / 10 : entryCount
    try compare(name) { round in
      Stopwatch.microseconds(count) {
        Bare.write(
          bodies[$0], temporary: "\(folder)/bare/tmp",
          final: "\(folder)/bare/\(durability)-\(round)-\($0)",
          synchronizing: durability == .strict ? "\(folder)/bare" : nil)
      }
    } _: { round in
      try Stopwatch.microseconds(count) {
        var body = bodies[$0]
        body[0] = UInt8(truncatingIfNeeded: round)
        body[1] = UInt8(truncatingIfNeeded: round >> 8) ^ 0xAA
        next += 1
        record.key = Payload.key(10_000_000 + next)
        try cache.store(body, record)
      }
    }
  }

  private func writesOnThreads(_ threads: Int) throws {
    let cache = try open("writes-threads")
    let bodies = (0..<entryCount).map { Payload.bytes($0, count: byteCount) }
    let template = Payload.record(0)
    func each(_ body: @escaping @Sendable (Int) -> Void) -> Double {
      let count = entryCount / threads
      return Stopwatch.microseconds(1) { _ in
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
          for index in 0..<count { body(thread * count + index) }
        }
      } / Double(count * threads)
    }
    compare("write, \(threads) threads") { round in
      let folder = folder
      return each {
        Bare.write(
          bodies[$0], temporary: "\(folder)/bare/tmp\($0)", final: "\(folder)/bare/t\(round)-\($0)")
      }
    } _: { round in
      each {
        var body = bodies[$0]
        body[2] = UInt8(truncatingIfNeeded: round)
        var record = template
        record.key = Payload.key(20_000_000 + round * 100_000 + $0)
        _ = try? cache.store(body, record)
      }
    }
  }
}
