import ArgumentParser
import DiskCaching

/// `imgcache explain URL`: which tier would answer, and why.
struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Prints which tier would answer for a URL, and why.",
    discussion: "imgcache explain https://example.org/a.jpg")

  @Argument(help: "The URL of an image.") var url: String

  @OptionGroup var cached: CachedOptions

  func validate() throws { try ImageSource.checkURL(url) }

  mutating func run() async throws {
    let answer = try await cached.openCache().explain(.original(url: url))
    let (tier, reason, remaining) = Self.words(answer.verdict)
    cached.report.result(
      [
        "url": url, "tier": tier, "reason": reason, "fresh_for_s": remaining, "path": answer.path,
        "etag": answer.record?.entityTag, "last_modified": answer.record?.lastModified,
        "explanation": answer.sentence,
      ], text: answer.sentence + (answer.path.map { "\n" + $0 } ?? ""))
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
