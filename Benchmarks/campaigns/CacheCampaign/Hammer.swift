import DiskCaching
import Foundation
import ImageModel

/// Reads, and as a writer also stores, entries of a small set for some time; any number of these
/// run together.
struct Hammer {
  let arguments: Arguments

  func run() throws {
    var configuration = DiskCache.Configuration(directory: arguments.text("dir"))
    configuration.maximumByteCount = arguments.number("limit", default: 400_000)
    let cache = try DiskCache(configuration).core
    let isWriter = arguments.text("role") == "writer"
    let keys = arguments.number("keys", default: 200)
    var random = SplitMix64(seed: UInt64(arguments.number("seed", default: 1)))
    let end = ContinuousClock().now + .seconds(arguments.number("seconds", default: 5))
    var (reads, hits, bad, stores, failures, over) = (0, 0, 0, 0, 0, 0)

    while ContinuousClock().now < end {
      let word = random.next()
      let number = Int(word >> 33) % keys
      reads += 1
      if let entry = cache.read(Payload.key(number)) {
        hits += 1
        if !Self.isWhole(entry, number) { bad += 1 }
      }
      guard isWriter, word & 3 != 0 else { continue }
      let version = Int(word >> 40) & 0xFF
      do throws(ImageError) {
        try cache.store(Self.bytes(number, version), Payload.record(number))
        stores += 1
        if stores % 64 == 0,
          cache.statistics().countedByteCount > configuration.maximumByteCount ?? 0
        {
          over += 1
        }
        if stores % 97 == 0 { try cache.remove([Payload.key((number + 1) % keys)]) }
      } catch {
        failures += 1
        complain("\(error.code.rawValue): \(error.message)")
      }
    }
    cache.close()
    say(
      """
      {"reads":\(reads),"hits":\(hits),"bad":\(bad),"stores":\(stores),"failures":\(failures),\
      "over_limit":\(over),"damaged":\(cache.statistics().total[.damaged] ?? 0)}
      """)
  }

  private static func bytes(_ number: Int, _ version: Int) -> [UInt8] {
    [UInt8(version)] + Payload.bytes(number * 256 + version, count: 2000 + number * 37)
  }

  /// Whether the bytes are one version of this key, and match the hash in the record.
  private static func isWhole(_ entry: CachedEntry, _ number: Int) -> Bool {
    guard let version = entry.bytes.first,
      entry.bytes.withUnsafeBytes({ SHA256.hash(of: $0) }) == entry.record.content?.hash
    else { return false }
    return entry.bytes == bytes(number, Int(version))
  }
}
