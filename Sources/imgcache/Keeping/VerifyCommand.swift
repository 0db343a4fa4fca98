import ArgumentParser
import DiskCaching
import ImageModel
import TextEncodings

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Hashes every entry again and names those that are damaged.",
    discussion: .examples(
      """
      imgcache verify
      imgcache verify --repair

      Exit status: 0 all entries are whole, 1 an entry is damaged, whether it was dropped (--repair) or not.
      """))

  @Flag(
    help: .text("Drop damaged entries.", "They are fetched again when they are next requested."))
  var repair = false

  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  mutating func run() async throws {
    let report = common.report
    let result = try await common.openCache().verify(repair: repair)
    let errors = MessageGroups(report)
    for damage in result.damages {
      if report.json {
        report.object(.damaged, ["key": damage.key.text, "reason": damage.reason])
      }
      errors.write("\(damage.key.text): \(damage.reason)", in: .init(like: damage.reason))
    }
    errors.finish()
    if let fault = result.indexFault { report.error("the index: \(fault)") }
    let dropped = result.isRepaired && !result.damages.isEmpty ? ", dropped" : ""
    report.result(
      .summary,
      [
        "entries": result.entryCount, "bytes": result.byteCount,
        "damaged": result.damages.count, "index_damaged": result.indexFault != nil,
        "repaired": result.isRepaired,
      ],
      text: "\(result.entryCount.counted("entry", "entries")), \(ByteQuantity(result.byteCount)): "
        + "\(result.damages.count) damaged\(dropped)")
    if result.isDamaged { throw ExitStatus.incomplete }
  }
}

extension CacheKey {
  var text: String {
    switch self {
    case .original(let url, _), .document(let url): url
    case .variant(let source, let recipe): "thumbnail \(recipe) of \(source)"
    }
  }
}
