import HTTPTypes
import Testing

@testable import ImageFeeds
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `Host rules` {
  private let referer = "https://example.org/"

  private var rules: HostRules {
    var rules = HostRules()
    rules.byHost["*.example.org"] = HostRules.Rule(referer: referer)
    return rules
  }

  /// A fetcher that maps some hosts to an origin on loopback.
  private func fixture(_ origin: FaultyOrigin, _ places: String...) throws -> FetcherFixture {
    try FetcherFixture { configuration in
      for place in places { configuration.connectTo[place] = "127.0.0.1:\(origin.port)" }
    }
  }

  @Test func `a Referer is sent to its rule's hosts and to no others`() async throws {
    let origin = try FaultyOrigin([
      "/": [.whole([1])],
      "/away": [.whole([], status: 302, fields: ["Location: http://notexample.org/"])],
    ])
    let fixture = try fixture(origin, "a.example.org:80", "notexample.org:80")

    for url in ["http://a.example.org/", "http://notexample.org/", "http://a.example.org/away"] {
      _ = try await fixture.fetch(url) { $0.hostRules = rules }
    }
    _ = try await fixture.fetch("http://a.example.org/")
    for referer in [FetchRequest.Referer.exactly("http://x/"), .none] {
      _ = try await fixture.fetch("http://a.example.org/") {
        $0.hostRules = rules
        $0.referer = referer
      }
    }

    #expect(
      origin.requests.map { $0["referer"] } == [referer, nil, referer, nil, nil, "http://x/", nil])
  }

  @Test func `a 403 is retried once without the Referer`() async throws {
    let origin = try FaultyOrigin([
      "/": [.whole([1], status: 403), .whole(Array("here".utf8))],
      "/never": [.whole([1], status: 403)],
    ])
    let fixture = try fixture(origin, "a.example.org:80")

    let response = try await fixture.fetch("http://a.example.org/") { $0.hostRules = rules }
    let error = await fixture.failure(of: "http://a.example.org/never") {
      $0.hostRules = rules
      $0.maximumRetryCount = 3
    }
    let single = await fixture.failure(of: "http://a.example.org/never") {
      $0.hostRules = rules
      $0.hostRules.retriesForbiddenWithoutReferer = false
    }

    #expect(response.body.text == "here" && response.requestCount == 2)
    #expect(error?.status == 403 && single?.status == 403)
    #expect(origin.requests.map { $0["referer"] } == [referer, nil, referer, nil, referer])
  }

  @Test func `a 403 to a request without a Referer of a rule is final`() async throws {
    let other = try FaultyOrigin(.whole([1], status: 403))
    let origin = try FaultyOrigin([
      "/": [.whole([1], status: 403)],
      "/away": [.whole([], status: 302, fields: ["Location: \(other.url("/"))"])],
    ])
    let fixture = try fixture(origin, "a.example.org:80")

    _ = await fixture.failure(of: origin.url("/"))
    _ = await fixture.failure(of: origin.url("/")) { $0.hostRules = rules }
    _ = await fixture.failure(of: "http://a.example.org/") {
      $0.hostRules = rules
      $0.headers[.referer] = "http://own/"
    }
    let direct = origin.requests.map { $0["referer"] }
    _ = await fixture.failure(of: "http://a.example.org/away") { $0.hostRules = rules }

    #expect(direct == [nil, nil, "http://own/"])
    // One was sent on the way.
    #expect(other.requests.count == 2)
  }

  @Test(arguments: [
    ("http://a.example.org/x", "https://a.example.org/x"),
    ("http://example.org/x", "https://example.org/x"),
    ("http://example.org:8080/x", "http://example.org:8080/x"),
    ("http://plain.example.org/x", "http://plain.example.org/x"),
    ("http://notexample.org/x", "http://notexample.org/x"),
  ])
  func `the most specific rule decides whether a URL is upgraded to https`(
    url: String, expected: String
  ) throws {
    var rules = HostRules()
    let upgrade = HostRules.Rule(upgradesToHTTPS: true)
    rules.byHost = [
      "example.org": upgrade, "*.example.org": upgrade, "plain.example.org": HostRules.Rule(),
    ]

    #expect(rules.target(of: try WebURL(fetchable: url)).text == expected)
    #expect(HostRules().target(of: try WebURL(fetchable: url)).text == url)
  }

  @Test func `a pipeline passes its rules to each fetch, of images and documents`() async throws {
    let fixture = try PipelineFixture() { $0.hostRules = rules }

    _ = try await fixture.pipeline.data(for: ImageRequest(url: "http://test.invalid/a.jpg"))
    _ = try await fixture.pipeline.document(
      at: "http://test.invalid/feed", options: DocumentOptions())

    #expect(fixture.fetcher.requests.map(\.hostRules.byHost) == [rules.byHost, rules.byHost])
  }

  @Test(arguments: ["zhimg.com", "pic1.zhimg.com", "a.b.zhimg.com"])
  func `Zhihu images are fetched by https, with a Zhihu Referer`(host: String) throws {
    let rule = try #require(HostRules.zhihu.byHost.value(forHost: host))

    #expect(rule == HostRules.Rule(referer: "https://daily.zhihu.com/", upgradesToHTTPS: true))
    #expect(HostRules.zhihu.byHost.value(forHost: "notzhimg.com") == nil)
    #expect(HostRules.zhihu.cacheURL == nil)
  }
}
