import ArgumentParser
import ImagePipeline

/// `imgcache verify`: hashes every entry again.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Hashes every entry again and names those that are damaged.",
    discussion: "Exit status 1: an entry is damaged, whether it was dropped (--repair) or not.")

  @Flag(help: "Drop what is damaged; it is fetched again when it is next asked for.")
  var repair = false

  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  func run() throws {
    let cache = try Session.openCache(cache, common: common, access: .existing)
    let result = try cache.verify(repair: repair)
    let errors = MessageGroups(common.report)
    for damage in result.damages {
      if common.json {
        common.report.object(["event": "damaged", "key": damage.key.text, "reason": damage.reason])
      }
      errors.write(
        "\(damage.key.text): \(damage.reason)", in: .init(like: damage.reason))
    }
    errors.finish()
    if let fault = result.indexFault { common.report.error("the index: \(fault)") }
    if common.json {
      common.report.object([
        "event": "summary", "entries": result.entryCount, "bytes": result.byteCount,
        "damaged": result.damages.count, "index_damaged": result.indexFault != nil,
        "repaired": result.isRepaired,
      ])
    } else {
      let dropped = result.isRepaired && !result.damages.isEmpty ? ", dropped" : ""
      common.report.line(
        "\(result.entryCount.counted("entry", "entries")), \(ByteQuantity(result.byteCount)): "
          + "\(result.damages.count) damaged\(dropped)")
    }
    if result.isDamaged { throw ExitStatus.incomplete }
  }
}

extension CacheKey {
  /// The key for people: the URL, or which thumbnail of which original.
  var text: String {
    switch self {
    case .original(let url, _), .document(let url): url
    case .variant(let source, let recipe): "thumbnail \(recipe) of \(source)"
    }
  }
}
