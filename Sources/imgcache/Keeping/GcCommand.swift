import ArgumentParser
import DiskCaching
import ImagePipeline
import TextEncodings

struct GcCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Removes orphaned files and what has expired, and enforces the limit now.",
    discussion: .examples(
      """
      imgcache gc
      imgcache gc --max-age 30d

      Images of kept and pinned days are not evicted, and do not count towards the limit. Exit status 1: the index \
      exceeds it alone.
      """))

  @OptionGroup(title: "Cache", visibility: .fullHelp) var limits: EvictionOptions
  @OptionGroup(title: "Cache", visibility: .fullHelp) var change: DurabilityOptions
  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  mutating func run() async throws {
    let cache = try common.openCache { configuration in
      limits.apply(to: &configuration)
      change.apply(to: &configuration)
    }
    let removed = try await cache.collectGarbage()
    let kept = await cache.statistics()
    let excess = max(0, kept.countedByteCount - kept.maximumByteCount)
    common.report.result(
      .gc,
      [
        "orphans": removed.orphanCount, "orphan_bytes": removed.orphanByteCount,
        "leftovers": removed.leftoverCount, "expired": removed.expiredCount,
        "evicted": removed.evictedCount, "evicted_bytes": removed.evictedByteCount,
        "over_limit_bytes": excess,
      ],
      text:
        "removed \(removed.orphanCount.counted("orphan")) (\(ByteQuantity(removed.orphanByteCount))), "
        + "\(removed.leftoverCount.counted("leftover")), "
        + "\(removed.expiredCount.counted("expired entry", "expired entries")) and "
        + "\(removed.evictedCount.counted("evicted entry", "evicted entries")) "
        + "(\(ByteQuantity(removed.evictedByteCount)))")
    if excess > 0 {
      let bytes = Measure.bytes(kept.countedByteCount, over: kept.maximumByteCount)
      common.report.error(
        "the cache still takes \(bytes.count), more than its limit of \(bytes.limit), "
          + "with the index alone")
      common.report.hint("raise --max-size")
      throw ExitStatus.incomplete
    }
  }
}
