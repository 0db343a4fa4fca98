import ArgumentParser
import ImagePipeline

/// `imgcache gc`: removes what nothing points to, and enforces the limits now.
struct GcCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gc",
    abstract: "Removes orphaned files and what has expired, and enforces the limit now.",
    discussion: """
      imgcache gc
      imgcache gc --max-age 30d
      """)

  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  func run() throws {
    let removed = try Session.openCache(cache, common: common, access: .existing).collectGarbage()
    if common.json {
      common.report.object([
        "orphans": removed.orphanCount, "orphan_bytes": removed.orphanByteCount,
        "leftovers": removed.leftoverCount, "expired": removed.expiredCount,
        "evicted": removed.evictedCount,
      ])
    } else {
      common.report.line(
        "removed \(removed.orphanCount.counted("orphan")) (\(ByteQuantity(removed.orphanByteCount))), "
          + "\(removed.leftoverCount.counted("leftover")), "
          + "\(removed.expiredCount.counted("expired entry", "expired entries")) and "
          + "\(removed.evictedCount.counted("evicted entry", "evicted entries"))")
    }
  }
}
