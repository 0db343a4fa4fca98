import CachingProxy
import ImageModel
import Testing

@testable import imgcache

@Suite struct `The options of the proxy's rules` {
  private func options(_ words: String...) throws -> RuleOptions { try RuleOptions.parse(words) }

  @Test func `say what a rule does`() throws {
    let options = try options(
      "--rule", "/api/**: pass", "--rule",
      "/b/*: ttl=1h30m  stale-while-revalidate=30 stale-if-error=7d ignore-query=utm_*,fbclid")
    var first = ProxyRule(pattern: "/api/**")
    first.isPassed = true
    var second = ProxyRule(pattern: "/b/*")
    second.lifetime = .seconds(5400)
    second.staleWhileRevalidate = .seconds(30)
    second.staleIfError = .seconds(7 * 86400)
    second.ignoredParameters = ["utm_*", "fbclid"]
    #expect(try options.rules() == [first, second])
  }

  @Test(arguments: [
    ("/a", "a colon and a space follow the pattern"), ("/a:pass", "a colon and a space"),
    ("a: pass", "a pattern begins with / or *"), ("/a?b: pass", "of the path alone"),
    ("/a: ", "it says nothing"), ("/a: ttl=1d ttl=2d", "\"ttl=2d\" repeats a key"),
    ("/a: max-age=1", "\"max-age=1\" is none of ttl="),
    ("/a: pass ttl=1d", "pass goes with nothing"),
    ("/a: pass=1", "is none of"), ("/a: ignore-query=", "names nothing"), ("/a: ttl=", "ttl="),
    ("/a: ttl=1y", "/a"), ("/a: ttl=500ms", "a time is whole seconds"), ("/a: ttl=-1", "/a"),
  ])
  func `say why a rule is none`(text: String, reason: String) throws {
    let error = #expect(throws: ImageError.self) { try options("--rule", text).rules() }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.hasPrefix("--rule \"\(text)\": ") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `list the fields that rule`() throws {
    #expect(try options().targetedFields() == nil)
    #expect(try options("--targeted", "none").targetedFields() == [])
    #expect(
      try options("--targeted", "Edge-Control, CDN-Cache-Control").targetedFields()?
        .map(\.canonicalName) == ["edge-control", "cdn-cache-control"])
    for text in ["a,a", "Cache-Control", "Expires", "a:b", "a b", "a,,b", ","] {
      #expect(throws: ImageError.self) { try options("--targeted", text).targetedFields() }
    }
  }
}
