import DiskCaching
import Foundation
import ImageModel

/// Fills one cache in steps, and at each size measures what must not grow with it.
struct Scale {
  let arguments: Arguments

  func run() throws {
    let directory = arguments.text("dir", default: NSTemporaryDirectory() + "cache-scale")
    let sizes = arguments.text("sizes", default: "10000,100000,1000000")
      .split(separator: ",").compactMap { Int($0) }
    let size = arguments.number("bytes", default: 64)
    say(
      "entries,open_ms,bare_hit_us,hit_us,miss_us,store_us,evict_us,"
        + "memory_bytes_per_entry,index_bytes")
    var filled = 0
    let empty = Self.residentByteCount()
    for count in sizes {
      try fill(directory, from: filled, to: count, size)
      filled = count
      let open = (0..<5).map { _ in (try? openingTime(directory)) ?? .infinity }.min() ?? .infinity

      var configuration = arguments.configuration(of: directory)
      configuration.readVerification = .never
      let cache = try DiskCache(configuration).core
      var random = SplitMix64(seed: 1)
      let probes = (0..<20_000).map { _ in Payload.key(Int(random.next() >> 33) % count) }
      for key in probes { _ = cache.read(key) }  // The files' pages, not the index, are warm then.
      let paths = probes.map { cache.path(for: $0) ?? "" }
      // The file system's own lookups grow too: the same files by the bare calls, taking turns
      // with the cache.
      var (bare, hit) = (Double.infinity, Double.infinity)
      for _ in 0..<3 {
        bare = min(bare, Self.microseconds(paths.count) { _ = Self.read(paths[$0]) })
        hit = min(hit, Self.microseconds(probes.count) { _ = cache.read(probes[$0]) })
      }
      let misses = (0..<20_000).map { Payload.key(-1 - $0) }
      let miss =
        (0..<3).map { _ in
          Self.microseconds(misses.count) { _ = cache.read(misses[$0]) }
        }.min() ?? 0
      let memory = Double(Self.residentByteCount() - empty) / Double(count)
      let store = try Self.stores(in: cache, from: &filled, size)
      let bytes = cache.statistics().countedByteCount
      cache.close()
      configuration.maximumByteCount = bytes
      let full = try DiskCache(configuration).core
      let evict = try Self.stores(in: full, from: &filled, size)
      full.close()
      let index = try FileManager.default.attributesOfItem(atPath: directory + "/index.table")
      say(
        "\(count),\(open),\(bare),\(hit),\(miss),\(store),\(evict),\(memory),\(index[.size] ?? 0)")
    }
  }

  /// Microseconds of a store. The first ones bring the pages of the table into the process.
  private static func stores(
    in cache: DiskStore, from filled: inout Int, _ size: Int
  ) throws -> Double {
    var number = filled
    func store() throws {
      try cache.store(Payload.bytes(number, count: size), Payload.record(number))
      number += 1
    }
    for _ in 0..<2000 { try store() }
    let time = try microseconds(2000) { _ in try store() }
    filled = number
    return time
  }

  /// The mean time of one of `count` operations, in microseconds.
  private static func microseconds(
    _ count: Int, _ body: (Int) throws -> Void
  ) rethrows -> Double {
    let start = ContinuousClock.now
    for index in 0..<count { try body(index) }
    return (ContinuousClock.now - start) / .microseconds(1) / Double(count)
  }

  /// The system calls that a hit needs.
  private static func read(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var status = stat()
    fstat(file, &status)
    let count = Int(status.st_size)
    return [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      filled = pread(file, room.baseAddress, count, 0)
    }
  }

  private func openingTime(_ directory: String) throws -> Double {
    var cache: DiskStore?
    let time = try Self.microseconds(1) { _ in
      cache = try DiskCache(arguments.configuration(of: directory)).core
      _ = cache?.read(Payload.key(0))
    }
    cache?.close()
    return time / 1000
  }

  private func fill(_ directory: String, from start: Int, to end: Int, _ size: Int) throws {
    let cache = try DiskCache(arguments.configuration(of: directory)).core
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in stride(from: start + thread, to: end, by: 4) {
        _ = try? cache.store(Payload.bytes(number, count: size), Payload.record(number))
      }
    }
  }

  /// Private memory of this process, not pages of files.
  private static func residentByteCount() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return (line?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0) * 1024
  }
}
