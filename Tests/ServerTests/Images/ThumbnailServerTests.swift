import Foundation
import Testing

@testable import DiskCaching
@testable import HTTPListening
@testable import ImageCodecs
@testable import ImageFeeds
@testable import ImageModel
@testable import ImagePipeline
@testable import ThumbnailServer
@testable import TestSupport

/// Every route, over real connections to a real server in front of a real origin.
@Suite struct `Thumbnail server` {
  static let picture = SampleImages.widePhoto
  static let fresh = ["Cache-Control: max-age=1000", "Content-Type: image/jpeg"]

  private func fixture(
    _ change: (inout ThumbnailServer.Configuration) -> Void = { _ in }
  ) async throws -> ServerFixture {
    try await ServerFixture(
      ["/a.jpg": [.whole(Self.picture, fields: Self.fresh)]], serving: change)
  }

  @Test func `a thumbnail is made once, then comes from memory, with all its fields`() async throws
  {
    let server = try await fixture()

    let first = try await server.get(server.thumb("/a.jpg"))
    let second = try await server.get(server.thumb("/a.jpg"))

    #expect(first.status == 200)
    #expect(first["cache-status"] == "imgcache; fwd=miss")
    #expect(first["server-timing"]?.contains("fetch;dur=") == true)
    #expect(second["cache-status"] == "imgcache; hit; detail=memory")
    #expect(second.body == first.body)
    for answer in [first, second] {
      let info = try ImageCodecs.info(of: answer.body.span.bytes)
      #expect(info.size == PixelSize(width: 40, height: 30) && info.format == .jpeg)
      #expect(answer["content-type"] == "image/jpeg")
      #expect(answer["content-length"] == "\(answer.body.count)")
      #expect(answer["x-content-type-options"] == "nosniff")
      #expect(answer["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
      #expect(answer["vary"] == "Accept" && answer["accept-ranges"] == "bytes")
      #expect(answer["cache-control"] == "public, max-age=1000")
      #expect(answer["etag"] == first["etag"])
      #expect(answer["etag"]?.wholeMatch(of: /"[0-9a-f]{32}"/) != nil)
      #expect(answer["last-modified"].flatMap { HTTPDate.parse($0) } != nil)
      #expect(answer["date"].flatMap { HTTPDate.parse($0) } != nil)
      #expect(answer["age"].flatMap { Int($0) } != nil)
    }
    #expect(server.origin.requests.count == 1)
  }

  @Test
  func `equal operations are one variant, and a crop outside the image is the client's fault`()
    async throws
  {
    let server = try await fixture()
    let url = server.thumb("/a.jpg")

    let one = try await server.get(url + "&rotate=180&blur=1&crop=0.0,0.0,0.5,0.50")
    let same = try await server.get(url + "&blur=1.0&flip=hv&crop=0.00,0,0.5,0.5&focus=0.5,0.5")
    let outside = try await server.get(url + "&crop=0,0,60000,1")
    let frame = try await server.get(url + "&frame=7")

    #expect(one.status == 200 && same.status == 200)
    #expect(same["etag"] == one["etag"] && same.body == one.body)
    #expect(same["cache-status"]?.hasPrefix("imgcache; hit") == true)
    for (answer, name) in [(outside, "crop"), (frame, "frame")] {
      #expect(answer.status == 400)
      let text = String(decoding: answer.body, as: UTF8.self)
      #expect(text.contains("invalid_argument") && text.contains("\"parameter\":\"\(name)\""))
    }
  }

  @Test func `the original is served byte for byte, with its sniffed type`() async throws {
    let server = try await ServerFixture([
      "/a": [
        .whole(Self.picture, fields: ["Content-Type: text/html", "Cache-Control: max-age=60"])
      ]
    ])

    let answers = [
      try await server.get(server.image("/a")), try await server.get(server.image("/a")),
    ]

    #expect(answers.allSatisfy { $0.body == Self.picture && $0["content-type"] == "image/jpeg" })
    #expect(answers[0]["vary"] == nil)
    #expect(answers[1]["cache-status"] == "imgcache; hit; detail=memory")
  }

  @Test func `HEAD has the fields of GET and no body, from every tier`() async throws {
    let server = try await fixture()

    let cold = try await server.exchange("HEAD", server.thumb("/a.jpg"))
    let got = try await server.get(server.thumb("/a.jpg"))
    let hot = try await server.exchange("HEAD", server.thumb("/a.jpg"))

    for answer in [cold, hot] {
      #expect(answer.status == 200 && answer.body.isEmpty)
      for name in [
        "content-type", "content-length", "etag", "last-modified", "cache-control", "vary",
      ] {
        #expect(answer[name] == got[name], "\(name)")
      }
    }
  }

  @Test(arguments: [true, false])
  func `conditional requests follow RFC 9110`(isHot: Bool) async throws {
    let server = try await fixture()
    let first = try await server.get(server.thumb("/a.jpg"))
    let tag = try #require(first["etag"])
    let date = try #require(first["last-modified"])
    // Another spelling of the target is another memory entry, so it comes from disk.
    let target = server.thumb("/a.jpg") + (isHot ? "" : "&frame=0")
    let late = HTTPDate.format(Date() + 86_400)
    let early = "Sun, 06 Nov 1994 08:49:37 GMT"
    let rows: [(field: String, status: Int)] = [
      ("If-None-Match: \(tag)", 304), ("If-None-Match: W/\(tag)", 304), ("If-None-Match: *", 304),
      ("If-None-Match: \"x\", \(tag)", 304), ("If-None-Match: \"x\" , W/\(tag)", 304),
      ("If-None-Match: \"x\"", 200), ("If-None-Match: \"x\", \"y\"", 200),
      ("If-None-Match: \"x,\(tag.dropFirst())", 200), ("If-Modified-Since: \(date)", 304),
      ("If-Modified-Since: \(late)", 304), ("If-Modified-Since: \(early)", 200),
      ("If-Modified-Since: nonsense", 200), ("If-Match: \(tag)", 200), ("If-Match: *", 200),
      ("If-Match: \"x\"", 412), ("If-Match: W/\(tag)", 412), ("If-Unmodified-Since: \(date)", 200),
      ("If-Unmodified-Since: \(early)", 412),
    ]

    for row in rows {
      let answer = try await server.get(target, [row.field])
      #expect(answer.status == row.status, "\(row.field)")
      #expect(row.status == 412 || answer.body == (row.status == 200 ? first.body : []))
      if answer.status == 304 {
        #expect(answer["etag"] == tag && answer["cache-control"] == first["cache-control"])
        #expect(answer["content-type"] == nil && answer["content-length"] == nil)
      }
    }
    let both = try await server.get(target, ["If-None-Match: \"x\"", "If-Modified-Since: \(late)"])
    #expect(both.status == 200)
  }

  @Test(arguments: ["thumb", "image"])
  func `a byte range is 206, an unsatisfiable one 416, an unsupported one the whole body`(
    kind: String
  ) async throws {
    let server = try await fixture()
    let target = kind == "thumb" ? server.thumb("/a.jpg") : server.image("/a.jpg")
    let whole = try await server.get(target)
    let count = whole.body.count
    let tag = try #require(whole["etag"])

    func ask(_ lines: String...) async throws -> RawAnswer {
      try await server.get(target, lines)
    }
    let start = try await ask("Range: bytes=0-9")
    #expect(start.status == 206 && start.body == Array(whole.body[0..<10]))
    #expect(start["content-range"] == "bytes 0-9/\(count)" && start["content-length"] == "10")
    #expect(start["etag"] == tag)
    let huge = String(repeating: "9", count: 30)
    for (range, body) in [
      ("-5", whole.body[(count - 5)...]), ("\(count - 1)-", whole.body[(count - 1)...]),
      ("5-\(huge)", whole.body[5...]), ("-\(huge)", whole.body[...]),
    ] {
      #expect(try await ask("Range: bytes=\(range)").body[...] == body, "\(range)")
    }
    for none in ["\(count)-", "\(huge)-", "-0"] {
      let beyond = try await ask("Range: bytes=\(none)")
      #expect(beyond.status == 416 && beyond["content-range"] == "bytes */\(count)")
      // Ranges are in no key: stored by a cache, it would answer all other ranges.
      #expect(beyond["cache-control"] == "no-store")
      #expect(beyond["etag"] == nil && beyond["age"] == nil)
      #expect(beyond.text.contains("\"code\":\"range_not_satisfiable\""))
    }
    let response = try await server.get(target + "&placeholder=1", ["Range: bytes=\(count)-"])
    #expect(response.status == 416)
    for ignored in ["bytes=0-1,4-3", "bytes=9-0", "items=0-1", "bytes=", "bytes=a-b"] {
      #expect(try await ask("Range: \(ignored)").status == 200, "\(ignored)")
    }
    #expect(try await ask("Range: bytes=0-9", "If-Range: \(tag)").status == 206)
    #expect(try await ask("Range: bytes=0-9", "If-Range: \"x\"").status == 200)
    // Only GET supports ranges (RFC 9110 §14.2).
    for range in ["0-9", "\(count)-"] {
      let head = try await server.exchange("HEAD", target, ["Range: bytes=\(range)"])
      #expect(head.status == 200)
      #expect(head["content-length"] == "\(count)")
    }
  }

  @Test func `an unspecified format follows Accept and adds Vary`() async throws {
    let server = try await fixture()
    func get(_ accept: String, _ rest: String = "") async throws -> RawAnswer {
      try await server.get(server.thumb("/a.jpg", "w=40&h=30" + rest), ["Accept: \(accept)"])
    }

    let png = try await get("image/png")
    let jpeg = try await get("image/jpeg")
    let webp = try await get("image/webp,*/*;q=0.8")
    let best = try await get("image/avif,image/webp,*/*;q=0.8")
    let any = try await get("*/*")
    let named = try await get("image/png", "&format=jpeg")

    #expect(
      [png, jpeg, webp, any, named].map { $0["content-type"] }
        == ["image/png", "image/jpeg", "image/webp", "image/jpeg", "image/jpeg"])
    let canWriteAVIF = ImageCodecs.encodableFormats.contains(.avif)
    #expect(best["content-type"] == (canWriteAVIF ? "image/avif" : "image/webp"))
    #expect(webp["vary"] == "Accept" && named["vary"] == nil)
    #expect(webp.body.count < any.body.count)
    #expect(png["etag"] != jpeg["etag"])
    #expect(server.origin.requests.count == 1)
  }

  @Test func `an animation keeps its frames and their timing as a GIF`() async throws {
    let frames = [30, 70, 120].map {
      AnimationFrame(pixels: SampleImages.gradient(64, 48, shift: $0), delay: .milliseconds($0 * 2))
    }
    let gif = try ImageCodecs.encodeGIF(frames, options: EncodingOptions(loopCount: 3))
    let server = try await ServerFixture(["/a.gif": [.whole(gif, fields: Self.fresh)]])

    let small = try await server.get(server.thumb("/a.gif", "w=32&h=24&format=gif"))
    let second = try await server.get(server.thumb("/a.gif", "w=32&h=24&frame=2"))
    let none = try await server.get(server.thumb("/a.gif", "w=32&h=24&frame=3"))
    let webp = try await server.get(server.thumb("/a.gif", "w=32&h=24"), ["Accept: image/webp"])
    let best = try await server.get(
      server.thumb("/a.gif", "w=32&h=24"), ["Accept: image/avif,image/webp"])
    let any = try await server.get(server.thumb("/a.gif", "w=32&h=24"))

    #expect(best.body == webp.body)
    #expect(small["content-type"] == "image/gif")
    #expect(any["content-type"] == "image/gif" && any.body == small.body)
    let animated = try ImageCodecs.info(of: webp.body.span.bytes)
    #expect(animated.format == .webp && animated.loopCount == 3)
    #expect(animated.rawDelays == [.milliseconds(60), .milliseconds(140), .milliseconds(240)])
    let info = try ImageCodecs.info(of: small.body.span.bytes)
    #expect(info.frameCount == 3)
    #expect(info.loopCount == 3)
    #expect(info.size == PixelSize(width: 32, height: 24))
    #expect(info.rawDelays == [.milliseconds(60), .milliseconds(140), .milliseconds(240)])
    #expect(second.status == 200)
    #expect(second["content-type"] != "image/gif")
    #expect(none.status == 400)
  }

  // MARK: Errors

  @Test func `failures are problem objects with the documented statuses`() async throws {
    let half = Array(Self.picture.prefix(Self.picture.count / 2))
    let late = Gate()
    let server = try await ServerFixture(
      [
        "/gone": [.text("no", status: 404)], "/gone2": [.whole([], status: 410)],
        "/broken": [.text("oh", status: 500)],
        "/busy": [.whole([], status: 503, fields: ["Retry-After: 1"])],
        "/rate": [.whole([], status: 429, fields: ["Retry-After: 1"])],
        "/text": [.text("<html>hello</html>")], "/empty": [.whole([])], "/half.jpg": [.whole(half)],
        "/short": [.raw(FaultyOrigin.head(length: 100) + [1, 2])], "/reset": [.rawThenReset([])],
        "/loop": [.whole([], status: 302, fields: ["Location: /loop"])],
        "/big": [.whole(try ImageCodecs.encodePNG(SampleImages.flat(2000, 2000, [1, 2, 3, 255])))],
      ], loading: { $0.limits.maximumPixels = 1_000_000 })
    let impatient = try await ServerFixture(
      ["/late": [.held([], late)]], loading: { $0.fetchLimits.totalTime = .milliseconds(100) })
    let rows: [(path: String, status: Int, code: String)] = [
      ("/gone", 404, "origin_not_found"), ("/gone2", 404, "origin_not_found"),
      ("/broken", 502, "http_status"), ("/text", 415, "not_an_image"),
      ("/empty", 502, "empty_body"), ("/half.jpg", 422, "truncated"), ("/short", 502, "short_body"),
      ("/reset", 502, "connection_reset"), ("/late", 504, "timeout"),
      ("/loop", 502, "too_many_redirects"), ("/big", 413, "limit_exceeded"),
      // Last, because their host is in backoff for a second after each.
      ("/busy", 503, "origin_busy"), ("/rate", 503, "origin_busy"),
    ]

    for row in rows {
      let server = row.code == "timeout" ? impatient : server
      for target in [server.thumb(row.path), server.image(row.path)] {
        let answer = try await server.get(target)
        #expect(answer.status == row.status, "\(row.path)")
        #expect(answer["content-type"] == "application/problem+json", "\(row.path)")
        #expect(
          answer["cache-control"] == "no-store" && answer["x-content-type-options"] == "nosniff")
        #expect(answer["age"] == nil && answer["etag"] == nil)
        let object = try answer.object()
        #expect(object["status"] as? Int == row.status)
        #expect(object["code"] as? String == row.code, "\(row.path)")
        #expect(object["title"] as? String != nil)
        #expect(!answer.text.contains("127.0.0.1") && !answer.text.contains("/tmp"))
        if row.status == 503 { #expect(answer["retry-after"].flatMap { Int($0) } != nil) }
      }
    }
    late.open()
  }

  @Test func `unknown paths are 404, other methods 405, both problem objects`() async throws {
    let server = try await fixture()

    for (method, target, status) in [
      ("GET", "/nothing", 404), ("GET", "/thumb/x", 404), ("GET", "/..%2fetc/passwd", 404),
      ("POST", "/thumb", 405), ("DELETE", "/image", 405), ("PUT", "/metrics", 405),
      ("OPTIONS", "/thumb", 405), ("GET", "/days/20200101/refresh", 405), ("POST", "/nothing", 404),
      ("QUERY", "/thumb", 405), ("QUERY", "/nothing", 404), ("PROPFIND", "/days/latest", 405),
    ] {
      let answer = try await server.exchange(method, target)
      #expect(answer.status == status, "\(method) \(target)")
      #expect(answer["content-type"] == "application/problem+json")
      if status == 405 { #expect(answer["allow"] != nil) }
    }
  }

  // MARK: Placeholder

  @Test func `an unavailable image gets a placeholder that no cache stores`() async throws {
    let server = try await ServerFixture([
      "/gone": [.whole([], status: 404), .whole(Self.picture, fields: Self.fresh)]
    ])
    let target = server.thumb("/gone", "w=60&h=45&placeholder=1")

    let response = try await server.get(target)
    let kept = await server.cache.statistics().entryCount
    server.clock.advance(by: 120)
    let real = try await server.get(target)

    #expect(response.status == 200)
    #expect(response["cache-status"] == "imgcache; detail=placeholder")
    #expect(response["cache-control"] == "no-store")
    #expect(response["etag"] == nil && response["age"] == nil)
    #expect(
      try ImageCodecs.info(of: response.body.span.bytes).size == PixelSize(width: 60, height: 45))
    #expect(kept == 0)
    #expect(real["cache-status"] == "imgcache; fwd=miss")
    #expect(real.body != response.body)
  }

  @Test func `the placeholder may be a configured image`() async throws {
    let own = try ImageCodecs.encodePNG(SampleImages.flat(20, 20, [250, 0, 0, 255]))
    let server = try await ServerFixture(
      ["/x": [.whole([], status: 404)]], serving: { $0.placeholder = own })

    let response = try await server.get(server.thumb("/x", "w=10&h=10&format=png&placeholder=1"))

    let pixels = try ImageCodecs.decode(response.body.span.bytes)
    #expect(pixels.bytes.prefix(4) == [250, 0, 0, 255])
  }

  @Test func `a refusal and a failed precondition stay with placeholders enabled`() async throws {
    let refusing = try await fixture { $0.allowedHosts = HostAllowList() }
    let server = try await fixture()
    func status(_ server: ServerFixture, _ query: String, _ lines: String...) async throws -> Int {
      try await server.get(server.thumb("/a.jpg", query + "&placeholder=1"), lines).status
    }

    #expect(try await status(refusing, "w=9") == 403)
    #expect(try await status(refusing, "w=0") == 400)
    #expect(try await status(server, "w=9", "If-Match: \"another\"") == 412)
  }

  @Test func `a free side has the same limit, and the original is not blamed`() async throws {
    let tall = try ImageCodecs.encodePNG(SampleImages.gradient(20, 60))
    let server = try await ServerFixture(
      ["/tall.png": [.whole(tall, fields: Self.fresh)]], serving: { $0.rules.maximumSide = 100 })

    let large = try await server.get(server.thumb("/tall.png", "w=50&h=0&enlarge=1"))
    let small = try await server.get(server.thumb("/tall.png", "w=10&h=0"))

    #expect(large.status == 413)
    #expect(small.status == 200)
    #expect(
      try ImageCodecs.info(of: small.body.span.bytes).size == PixelSize(width: 10, height: 30))
  }

  @Test func `a replaced file is not served under the tag of the old version`() async throws {
    let versions = try [UInt64(1), 2].map {
      try ImageCodecs.encodePNG(SampleImages.noise(700, 700, seed: $0))
    }
    let server = try await ServerFixture([
      "/big.png": versions.map { .whole($0, fields: Self.fresh) }
    ])
    let url = server.origin.url("/big.png")

    var request = ImageRequest(url: url)
    let first = try await server.parts.pipeline.data(for: request)
    let whole = try Representation(first)
    request.cache.policy = .reload
    _ = try await server.parts.pipeline.data(for: request)
    let late = try Representation(first)

    guard case .file = whole.content, case .bytes(let bytes) = late.content else {
      Issue.record("\(whole.content), \(late.content)")
      return
    }
    #expect(bytes == versions[0])
  }

  // MARK: Freshness

  @Test func `the lifetime given to clients is the rest of the origin's`() async throws {
    let server = try await fixture()
    _ = try await server.get(server.thumb("/a.jpg"))

    server.clock.advance(by: 400)
    let later = try await server.get(server.thumb("/a.jpg", "w=41&h=30"))
    server.clock.advance(by: 700)
    let stale = try await server.get(server.thumb("/a.jpg", "w=42&h=30"))

    #expect(later["cache-control"] == "public, max-age=1000")
    #expect((400...402).contains(later["age"].flatMap { Int($0) } ?? 0))
    #expect(later["cache-status"] == "imgcache; hit; detail=disk")
    #expect(stale["cache-status"] == "imgcache; fwd=miss")
    #expect(server.origin.requests.count == 2)
  }

  @Test func `stale entries are revalidated by their tag and reported so`() async throws {
    let server = try await ServerFixture(["/a.jpg": [.file(Self.picture, tag: "\"v1\"")]])
    _ = try await server.get(server.thumb("/a.jpg"))

    server.clock.advance(by: 10)
    let again = try await server.get(server.thumb("/a.jpg"))

    #expect(again["cache-status"] == "imgcache; fwd=stale; fwd-status=304")
    #expect(again["cache-control"] == "no-cache")
    #expect(again["age"] == nil)
    #expect(server.origin.requests.last?["if-none-match"] == "\"v1\"")
  }

  @Test func `stale responses are served where the origin allows`() async throws {
    let fields = ["Cache-Control: max-age=10, stale-while-revalidate=100, stale-if-error=1000"]
    let server = try await ServerFixture([
      "/a.jpg": [.whole(Self.picture, fields: fields), .whole([], status: 500)]
    ])
    let first = try await server.get(server.thumb("/a.jpg"))

    server.clock.advance(by: 50)
    let meanwhile = try await server.get(server.thumb("/a.jpg"))
    server.clock.advance(by: 300)
    let onError = try await server.get(server.thumb("/a.jpg"))

    #expect(
      first["cache-control"]
        == "public, max-age=10, stale-while-revalidate=100, stale-if-error=1000")
    for answer in [meanwhile, onError] {
      #expect(answer.status == 200)
      #expect(answer.body == first.body)
      #expect(answer["cache-status"]?.hasPrefix("imgcache; hit; ttl=-") == true)
      #expect(answer["cache-control"] == "no-cache")
    }
  }

  @Test(arguments: ["private, max-age=100", "no-store"])
  func `an original that is not stored has a strong tag, too, shared by its ranges`(
    word: String
  ) async throws {
    let server = try await ServerFixture([
      "/a.jpg": [.whole(Self.picture, fields: ["Cache-Control: \(word)"])]
    ])
    let target = server.image("/a.jpg")

    let first = try await server.get(target)
    let tag = try #require(first["etag"])
    let known = try await server.get(target, ["If-None-Match: \(tag)"])
    let part = try await server.get(target, ["Range: bytes=5-9", "If-Range: \(tag)"])

    #expect(tag.wholeMatch(of: /"[0-9a-f]{32}"/) != nil)
    #expect(first.body == Self.picture)
    #expect(known.status == 304)
    #expect(part.status == 206)
    #expect(part.body == Array(Self.picture[5...9]))
    #expect([first, part].allSatisfy { $0["cache-control"] == "no-store" })
    #expect(await server.cache.statistics().entryCount == 0)
    #expect(server.origin.requests.count == 3)
  }

  // MARK: Operation

  @Test func `every metric of the Grafana dashboard is exported by the server`() async throws {
    let server = try await fixture()
    _ = try await server.get(server.thumb("/a.jpg"))
    let metrics = try await server.get("/metrics")
    let dashboard = try String(
      contentsOf: SharedFixtures.packageRoot.appending(
        path: "Distribution/grafana-dashboard.json"), encoding: .utf8)

    let names = Set(dashboard.matches(of: /imgcache_\w+/).map { String($0.0) })
    #expect(names.count > 10)
    for name in names { #expect(metrics.text.contains(try Regex("\n\(name)[{ ]")), "\(name)") }
    #expect((try? JSONSerialization.jsonObject(with: Data(dashboard.utf8))) != nil)
  }

  @Test func `health, readiness, metrics and statistics reflect the server's state`() async throws {
    let server = try await fixture()
    for _ in 0..<2 { _ = try await server.get(server.thumb("/a.jpg")) }

    #expect(try await server.get("/healthz").status == 200)
    #expect(try await server.get("/readyz").status == 200)
    let metrics = try await server.get("/metrics")
    let stats = try await server.get("/stats")

    #expect(metrics["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
    for line in [
      #"imgcache_requests_total{route="thumb",code="200"} 2"#,
      #"imgcache_answers_total{source="memory"} 1"#, #"imgcache_answers_total{source="miss"} 1"#,
      #"imgcache_request_duration_seconds_count{route="thumb"} 2"#,
      #"imgcache_stage_duration_seconds_count{stage="fetch"} 1"#,
      #"imgcache_cache_hits_total{tier="memory"} 1"#, #"imgcache_queue_length{queue="decode"} 0"#,
      "imgcache_bytes_in_flight 0", "imgcache_collapsed_total 0",
    ] {
      #expect(metrics.text.contains(line + "\n"), "\(line)")
    }
    // Every name has a description.
    for type in metrics.text.matches(of: /TYPE (\w+)/) {
      #expect(metrics.text.contains("# HELP \(type.1) "), "\(type.1)")
    }
    // Every line of the format is a comment or a sample.
    for line in metrics.text.split(separator: "\n") where !line.hasPrefix("#") {
      #expect(line.wholeMatch(of: /[a-z_]+(\{[^}]*\})? -?[0-9.e+-]+/) != nil, "\(line)")
    }
    let object = try stats.object()
    #expect(object["entries"] as? Int == 2)
    let counts = try #require(object["server"] as? [String: Any])
    #expect(counts["memory_hits"] as? Int == 1)
    let names = ["bytes_sent", "disk_hits", "in_flight", "thumb_p50_seconds", "thumb_p99_seconds"]
    #expect(names.allSatisfy { counts[$0] != nil })
    for counters in ["last_run", "total"] {
      let counts = object[counters] as? [String: Int] ?? [:]
      #expect(["memory_hits", "memory_misses", "requests"].allSatisfy { counts[$0] == 1 })
    }
  }
}
