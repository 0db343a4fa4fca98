import ArgumentParser
import ImagePipeline

/// `imgcache gc`: removes orphaned and expired entries, and enforces the limits now.
struct GcCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Removes orphaned files and what has expired, and enforces the limit now.",
    discussion: """
      imgcache gc
      imgcache gc --max-age 30d
      """)

  @OptionGroup var cached: CachedOptions

  mutating func run() async throws {
    let removed = try await cached.openCache().collectGarbage()
    cached.report.result(
      [
        "orphans": removed.orphanCount, "orphan_bytes": removed.orphanByteCount,
        "leftovers": removed.leftoverCount, "expired": removed.expiredCount,
        "evicted": removed.evictedCount,
      ],
      text:
        "removed \(removed.orphanCount.counted("orphan")) (\(ByteQuantity(removed.orphanByteCount))), "
        + "\(removed.leftoverCount.counted("leftover")), "
        + "\(removed.expiredCount.counted("expired entry", "expired entries")) and "
        + "\(removed.evictedCount.counted("evicted entry", "evicted entries"))")
  }
}
