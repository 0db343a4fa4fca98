import ArgumentParser
import DiskCaching
import HTTPCaching
import ImageModel
import SharedCaching
import TextEncodings

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Prints which tier would answer for a URL, and why.",
    discussion: "imgcache explain https://example.org/a.jpg")

  @Argument(help: "The URL of the image.") var url: String

  @OptionGroup(title: "Several servers", visibility: .fullHelp) var tier: TierOptions
  @OptionGroup(title: "Several servers", visibility: .fullHelp) var buckets: BucketOptions
  @OptionGroup(title: "Several servers", visibility: .fullHelp) var trust: TrustOptions
  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  func validate() throws { try ImageSource.checkURL(url) }

  mutating func run() async throws {
    let answer = try await common.openCache().explain(.image(at: url))
    let shared = try await shared()
    let (tier, reason, remaining) = Self.words(answer.verdict)
    common.report.result(
      .explain,
      [
        "url": url, "tier": tier, "reason": reason, "fresh_for_s": remaining, "path": answer.path,
        "etag": answer.record?.entityTag, "last_modified": answer.record?.lastModified,
        "explanation": answer.sentence, "shared_tier": shared?.word,
      ],
      text: ([answer.sentence] + [answer.path, shared?.sentence].compactMap(\.self))
        .joined(separator: "\n"))
  }

  private func shared() async throws -> (word: String, sentence: String)? {
    guard let tier = try tier.open(try buckets.buckets(), try trust.certificates()) else {
      return nil
    }
    let reading = await tier.read(TierKey(url: WebURL.withoutFragment(url)))
    let error = tier.lastError
    await tier.shutDown()
    switch reading {
    case .hit(let value, _) where value.response.status >= 400:
      let status = value.response.status
      return ("negative", "The shared tier has a remembered failure: status \(status).")
    case .hit(let value, _):
      let rest = Int(value.freshUntil.timeIntervalSinceNow)
      let state = rest > 0 ? "fresh for \(rest) s" : "stale"
      return ("hit", "The shared tier has it: \(value.body.count) bytes, \(state).")
    case .miss: return ("miss", "The shared tier does not have it.")
    case .unavailable:
      return ("unavailable", "The shared tier cannot be used" + (error.map { ": \($0)" } ?? "."))
    }
  }

  private static func words(
    _ verdict: CacheExplanation.Verdict
  ) -> (tier: String, reason: String, remaining: Int?) {
    switch verdict {
    case .fresh(let remaining): ("disk", "fresh", remaining.map { Int(min($0, 1e15)) })
    case .staleWhileRevalidating: ("disk", "stale-while-revalidate", nil)
    case .revalidate: ("origin", "stale", nil)
    case .negative(let code, _): ("disk", "negative: \(code?.rawValue ?? "unknown")", nil)
    case .absent: ("origin", "absent", nil)
    case .damaged: ("origin", "damaged", nil)
    }
  }
}
