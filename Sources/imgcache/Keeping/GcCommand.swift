import ArgumentParser
import ImagePipeline
import TextEncodings

/// `imgcache gc`: removes orphaned and expired entries, and enforces the limits now.
struct GcCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Removes orphaned files and what has expired, and enforces the limit now.",
    discussion: """
      imgcache gc
      imgcache gc --max-age 30d

      Exit status 1: pinned images and the index exceed the limit, and nothing else is left to evict.
      """)

  @OptionGroup var cached: CachedOptions

  mutating func run() async throws {
    let cache = try await cached.openCache()
    let removed = try await cache.collectGarbage()
    let kept = await cache.statistics()
    let excess = max(0, kept.countedByteCount - kept.maximumByteCount)
    cached.report.result(
      [
        "orphans": removed.orphanCount, "orphan_bytes": removed.orphanByteCount,
        "leftovers": removed.leftoverCount, "expired": removed.expiredCount,
        "evicted": removed.evictedCount, "over_limit_bytes": excess,
      ],
      text:
        "removed \(removed.orphanCount.counted("orphan")) (\(ByteQuantity(removed.orphanByteCount))), "
        + "\(removed.leftoverCount.counted("leftover")), "
        + "\(removed.expiredCount.counted("expired entry", "expired entries")) and "
        + "\(removed.evictedCount.counted("evicted entry", "evicted entries"))")
    if excess > 0 {
      let pinned = kept.pinnedCount.counted("pinned entry", "pinned entries")
      let rest = kept.pinnedCount == 0 ? "the index" : pinned + " and the index"
      let bytes = Measure.bytes(kept.countedByteCount, over: kept.maximumByteCount)
      cached.report.error(
        "the cache still takes \(bytes.count), more than its limit of \(bytes.limit), "
          + "with \(rest) alone")
      cached.report.hint((kept.pinnedCount == 0 ? "" : "unpin days, or ") + "raise --max-size")
      throw ExitStatus.incomplete
    }
  }
}
