import Foundation
import HTTPTypes
import Testing

@testable import CachingProxy
@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

/// A pipeline follows redirects and keeps the result under the URL that was asked for; for a proxy
/// the redirect is the response. An origin with an open redirect must not get another one's content
/// stored as its own.
@Suite struct `An entry that a redirect led to` {
  private static let picture = SampleImages.widePhoto
  private let storage: ProxyStorage
  private let target: FaultyOrigin
  private let open: FaultyOrigin

  init() throws {
    storage = try ProxyStorage(.disk)
    target = try FaultyOrigin([
      "/evil": [
        .whole(
          Self.picture + Array("<script>alert(1)</script>".utf8),
          fields: ["Content-Type: text/html", "Cache-Control: max-age=600", "ETag: \"1\""])
      ]
    ])
    open = try FaultyOrigin([
      "/own.jpg": [
        .whole(Self.picture, fields: ["Content-Type: image/jpeg", "Cache-Control: max-age=600"])
      ]
    ])
  }

  private func redirect(_ status: Int = 302, to url: String, _ fields: [String] = [])
    -> FaultyOrigin.Answer
  { .whole([], status: status, fields: ["Location: \(url)"] + fields) }

  private func pipeline(isShared: Bool = false) throws -> ImagePipeline {
    let clock = storage.clock
    let fetcher = try FetcherFixture { $0.clock.date = { clock.now } }.fetcher
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.diskCache = storage.cache
    configuration.isShared = isShared
    configuration.clock = { clock.now }
    configuration.fetchLimits.bePatient()
    return try ImagePipeline(configuration)
  }

  private func load(
    _ url: String, isShared: Bool = false, _ change: (inout ImageRequest) -> Void = { _ in }
  ) async throws -> DataResponse {
    let pipeline = try pipeline(isShared: isShared)
    var request = ImageRequest(url: url)
    change(&request)
    let response = try await pipeline.data(for: request)
    await pipeline.close()
    return response
  }

  @Test(arguments: [301, 302, 308])
  func `is not served by a proxy on the same directory`(status: Int) async throws {
    open["/open"] = [redirect(status, to: target.url("/evil"))]
    _ = try await load(open.url("/own.jpg"), isShared: true)
    _ = try await load(open.url("/open"), isShared: true)
    #expect(try await load(open.url("/open"), isShared: true).source == .disk)
    let proxy = try await ProxyFixture(origin: open, storage)

    let own = try proxy.get("/own.jpg")
    let redirected = try proxy.get("/open")

    #expect(own["cache-status"]?.hasPrefix("imgcache; hit") == true)
    #expect(redirected.status == status)
    #expect(redirected["location"] == target.url("/evil"))
    #expect(!redirected.text.contains("script"))
  }

  @Test(arguments: ["", "#x"])
  func `is not served by a proxy where it was to its own URL, with a cookie`(
    fragment: String
  ) async throws {
    open["/gate"] = [
      redirect(to: open.url("/gate\(fragment)"), ["Set-Cookie: seen=1"]),
      .whole(Self.picture, fields: ["Content-Type: text/html", "Cache-Control: max-age=600"]),
      redirect(to: open.url("/gate")),
    ]
    _ = try await load(open.url("/gate"), isShared: true)
    #expect(try await load(open.url("/gate"), isShared: true).source == .disk)
    let proxy = try await ProxyFixture(origin: open, storage)

    let answer = try proxy.get("/gate")

    #expect(answer.status == 302)
  }

  @Test func `that a proxy stored is not the file of an image`() async throws {
    open["/open"] = [
      .whole(
        Self.picture, status: 301,
        fields: ["Location: /own.jpg", "Content-Type: image/jpeg", "Cache-Control: max-age=600"])
    ]
    let proxy = try await ProxyFixture(origin: open, storage)
    for target in ["/open", "/own.jpg"] { _ = try proxy.get(target) }
    let pipeline = try pipeline()

    let redirect = try await pipeline.storedFile(for: ImageRequest(url: open.url("/open")))
    let image = try await pipeline.storedFile(for: ImageRequest(url: open.url("/own.jpg")))
    await pipeline.close()

    #expect(await storage.cache?.record(for: .original(url: open.url("/open"))) != nil)
    #expect(redirect == nil)
    #expect(image != nil)
  }

  @Test func `is not served by a proxy after an alternate answered`() async throws {
    _ = try await load(open.url("/gone")) { $0.network.alternates = [self.target.url("/evil")] }
    let proxy = try await ProxyFixture(origin: open, storage)

    let answer = try proxy.get("/gone")

    #expect(answer.status == 404)
    #expect(!answer.text.contains("script"))
  }

  @Test func `remains one after the target has confirmed it`() async throws {
    target["/evil"] = [.file(Self.picture, tag: "\"1\"")]
    open["/open"] = [redirect(to: target.url("/evil"))]
    for _ in 0..<2 { _ = try await load(open.url("/open")) { $0.cache.policy = .revalidate } }
    #expect(target.requests.map { $0["if-none-match"] } == [nil, "\"1\""])

    let record = try #require(await storage.cache?.record(for: .original(url: open.url("/open"))))

    #expect(record.effectiveURL == target.url("/evil"))
  }

  @Test func `is not taken by a proxy from a tier`() async throws {
    open["/open"] = [redirect(to: target.url("/evil"))]
    let now = storage.clock.now
    for (effectiveURL, isUsable) in [(target.url("/evil"), false), (nil, true)] {
      let tier = StubTier()
      let generation = TierGeneration.random()
      var response = StoredResponse(
        status: 200, fields: [.contentType: "text/html", .cacheControl: "max-age=600"],
        requestTime: now, responseTime: now)
      response.effectiveURL = effectiveURL
      tier.answer(
        .use(
          TierValue(
            response: response, body: Array("<script>".utf8), freshUntil: now + 600,
            staleUntil: now + 600), generation))
      let proxy = try await ProxyFixture(origin: open.url(""), clock: storage.clock) {
        $0.sharedTier = tier
      }
      _ = try proxy.get("/open")
      try await proxy.stop()

      #expect(tier.calls.contains("usable: \(isUsable)"))
    }
  }

  @Test(arguments: [301, 404, 200])
  func `of a proxy is an image for a pipeline only if it succeeded`(status: Int) async throws {
    open["/a.jpg"] = [
      .whole(
        status == 200 ? Self.picture : Array("moved".utf8), status: status,
        fields: ["Cache-Control: max-age=600", "Location: \(target.url("/evil"))"]),
      .whole(Self.picture),
    ]
    let proxy = try await ProxyFixture(origin: open, storage)
    #expect(try proxy.get("/a.jpg").status == status)

    let response = try await load(open.url("/a.jpg"))

    #expect(try response.bytes() == Self.picture)
    #expect(response.source == (status == 200 ? .disk : .network))
  }

  // MARK: Conditions and ranges

  @Test func `is not confirmed by another target of the redirect`() async throws {
    let modified = "Last-Modified: Sat, 01 Aug 2020 00:00:00 GMT"
    let confirming = FaultyOrigin.Answer.custom { request, connection in
      // What a server says whose own image has not changed since then either.
      request["if-none-match"] != nil || request["if-modified-since"] != nil
        ? connection.send("HTTP/1.1 304 Not Modified\r\n\r\n")
        : connection.send(FaultyOrigin.head(length: Self.other.count) + Self.other)
    }
    target["/old.jpg"] = [
      .whole(Self.picture, fields: ["Cache-Control: max-age=0", "ETag: \"1\"", modified])
    ]
    target["/new.jpg"] = [confirming]
    open["/open"] = [redirect(to: target.url("/old.jpg")), redirect(to: target.url("/new.jpg"))]
    #expect(try await load(open.url("/open")).bytes() == Self.picture)

    let second = try await load(open.url("/open"))

    #expect(try second.bytes() == Self.other)
    #expect(
      (open.requests + target.requests).allSatisfy {
        $0["if-none-match"] == nil && $0["if-modified-since"] == nil
      })
  }

  @Test func `is not confirmed by the redirecting URL that now answers itself`() async throws {
    target["/old.jpg"] = [
      .whole(Self.picture, fields: ["Cache-Control: max-age=0", "ETag: \"1\""])
    ]
    open["/open"] = [redirect(to: target.url("/old.jpg")), .file(Self.other, tag: "\"1\"")]
    _ = try await load(open.url("/open"))

    #expect(try await load(open.url("/open")).bytes() == Self.other)
    #expect(open.requests.allSatisfy { $0["if-none-match"] == nil })
  }

  @Test func `continues its body only from the target that it began at`() async throws {
    let whole = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let other = whole.map { ~$0 }
    target["/one"] = [.brokenFile(whole, tag: "\"1\"", after: 40_000), .file(whole, tag: "\"1\"")]
    target["/two"] = [.file(other, tag: "\"1\"")]
    let (one, two) = (redirect(to: target.url("/one")), redirect(to: target.url("/two")))
    open["/open"] = [one, two, one]
    let fixture = try FetcherFixture(store: MemoryPartialStore())
    let url = open.url("/open")
    await #expect(throws: ImageError.self) { try await fixture.fetch(url) { $0.resumes = true } }

    let second = try await fixture.fetch(url) { $0.resumes = true }
    let third = try await fixture.fetch(url) { $0.resumes = true }

    #expect(try second.body.bytes() == other)
    #expect(try third.body.bytes() == whole)
    #expect(open.requests.allSatisfy { $0["range"] == nil })
    #expect(target.requests.map { $0["range"] } == [nil, nil, "bytes=40000-"])
  }

  // MARK: Directives

  private static let other = SampleImages.photo

  @Test(arguments: ["no-store", "no-store, max-age=600"])
  func `is not stored where the redirect forbids it`(control: String) async throws {
    target["/a.jpg"] = [.whole(Self.picture, fields: ["Cache-Control: max-age=600"])]
    open["/open"] = [redirect(to: target.url("/a.jpg"), ["Cache-Control: \(control)"])]

    for _ in 0..<2 { _ = try await load(open.url("/open"), isShared: true) }

    #expect(open.requests.count == 2)
    #expect(await storage.cache?.record(for: .original(url: open.url("/open"))) == nil)
  }

  @Test(
    arguments: [
      ("max-age=60", "max-age=600", 60), ("max-age=600", "max-age=60", 60),
      ("max-age=60", "max-age=600, stale-while-revalidate=600", 60), (nil, "max-age=600", 600),
    ] as [(String?, String, TimeInterval)])
  func `is fresh for as long as the redirect and its target are`(
    redirects: String?, responds: String, lifetime: TimeInterval
  ) async throws {
    target["/a.jpg"] = [.whole(Self.picture, fields: ["Cache-Control: \(responds)"])]
    let control = redirects.map { ["Cache-Control: \($0)"] } ?? []
    open["/open"] = [redirect(to: target.url("/a.jpg"), control)]
    _ = try await load(open.url("/open"))

    storage.clock.advance(by: lifetime - 1)
    #expect(try await load(open.url("/open")).source == .disk)
    storage.clock.advance(by: 2)
    #expect(try await load(open.url("/open")).source == .network)
  }
}
