import Foundation
import Testing

@testable import CachingProxy
@testable import HTTPListening
@testable import ImageModel
@testable import TestSupport

/// What a proxy tells its operators, and what they have it do.
@Suite struct `The operation of the proxy` {
  private static let admin = "Authorization: Bearer secret"
  private let lines = Locked<[String]>([])

  private func start(
    _ scripts: [String: [FaultyOrigin.Answer]] = [:], _ kind: ProxyStorage.Kind = .memory,
    hasKeys: Bool = true
  ) async throws -> (proxy: ProxyFixture, origin: FaultyOrigin) {
    try await ProxyFixture.start(scripts, try ProxyStorage(kind)) { [lines] in
      $0.listener.operatorTargets = [.tcp(host: "127.0.0.1", port: 0)]
      if hasKeys { $0.adminKeys = [SigningKey(name: nil, secret: Array("secret".utf8))] }
      $0.accessLog = .init { line in lines.withLock { $0.append(line) } }
    }
  }

  private static func whole(_ text: String, _ fields: String...) -> FaultyOrigin.Answer {
    .text(text, fields: ["Cache-Control: max-age=600"] + fields)
  }

  // MARK: Readings

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `metrics count requests by method, status and source, those of operators apart`(
    kind: ProxyStorage.Kind
  ) async throws {
    let (proxy, _) = try await start(
      [
        "/a": [Self.whole("made", "ETag: \"1\"")],
        "/none": [.whole([], status: 404, fields: ["Cache-Control: no-store"])],
        "/post": [.whole([], status: 204)],
      ], kind)

    for _ in 0..<4 { _ = try proxy.get("/a") }
    _ = try proxy.get("/a", ["If-None-Match: \"1\""])
    _ = try proxy.exchange("HEAD", "/a")
    _ = try proxy.get("/none")
    _ = try proxy.exchange("POST", "/post", body: "x")
    for _ in 0..<2 { _ = try await proxy.operate("GET", "/healthz") }

    let tier = kind == .memory ? "memory" : "disk"
    let expected = [
      #"imgcache_requests_total{method="GET",code="200"} 4"#,
      #"imgcache_requests_total{method="GET",code="304"} 1"#,
      #"imgcache_requests_total{method="GET",code="404"} 1"#,
      #"imgcache_requests_total{method="HEAD",code="200"} 1"#,
      #"imgcache_requests_total{method="POST",code="204"} 1"#,
      #"imgcache_answers_total{source="hit"} 5"#, #"imgcache_answers_total{source="miss"} 2"#,
      #"imgcache_answers_total{source="pass"} 1"#,
      #"imgcache_answers_total{source="revalidated"} 0"#,
      #"imgcache_request_duration_seconds_count{method="GET"} 6"#,
      #"imgcache_cache_entries{tier="\#(tier)"} 1"#, #"imgcache_running{queue="origin"} 0"#,
      "imgcache_sent_bytes_total 16", "imgcache_purged_total 0",
      "imgcache_connections_refused_total 0",
    ]
    await Condition.until {
      let text =
        (try? RawClient(port: proxy.operatorPort).exchange("GET", "/metrics", lines: []).text) ?? ""
      return expected.allSatisfy { text.contains($0 + "\n") }
    }
    let text = try await proxy.operate("GET", "/metrics").text
    for line in expected { #expect(text.contains(line + "\n"), "\(line) in\n\(text)") }
    for name in ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"] {
      #expect(text.contains("\n\(name) "))
    }
  }

  @Test func `statistics and the status page have the sources of the proxy`() async throws {
    let (proxy, _) = try await start(["/a": [Self.whole("made")]])
    for _ in 0..<3 { _ = try proxy.get("/a") }

    await Condition.until {
      (try? RawClient(port: proxy.operatorPort).exchange("GET", "/stats", lines: []).text)?
        .contains("\"misses\":1") == true
    }
    let statistics = try await proxy.operate("GET", "/stats")
    let page = try await proxy.operate("GET", "/status", ["Accept-Language: en"])
    let status = try await proxy.operate("GET", "/status", ["Accept: application/json"])
      .serverStatus()

    #expect(statistics["content-type"] == "application/json")
    #expect(statistics.text.contains("\"requests\":3,\"errors\":0,\"hits\":2,\"shared_hits\":0"))
    #expect(page["content-type"] == "text/html; charset=utf-8")
    for text in ["Hits", "Passed on", "Origin requests", "Waiting for an equal request"] {
      #expect(page.text.contains(text), "\(text)")
    }
    for text in ["Placeholders", "Decoding"] { #expect(!page.text.contains(text), "\(text)") }
    #expect(status.hour.requests == 3 && status.hour.answers["hit"] == 2)
    #expect(status.memory?.entries == 1 && status.disk == nil)
    #expect(try await proxy.operate("GET", "/status/status.js").status == 200)
  }

  @Test func `operators are served apart from the content`() async throws {
    let paths = ["/healthz", "/readyz", "/metrics", "/stats", "/status", "/status.json", "/purge"]
    let (proxy, origin) = try await start(
      Dictionary(uniqueKeysWithValues: paths.map { ($0, [.text("origin")]) }))

    #expect(try await proxy.operate("GET", "/healthz").text == "ok\n")
    #expect(try await proxy.operate("GET", "/readyz").text == "ready\n")
    #expect(try await proxy.operate("GET", "/a").status == 404)
    #expect(try await proxy.operate("GET", "/healthz", ["Host: evil.example"]).status != 200)
    for path in paths { #expect(try proxy.get(path).text == "origin") }
    #expect(try proxy.exchange("POST", "/purge", [Self.admin], body: "{}").text == "origin")
    #expect(origin.requests.count == paths.count + 1)
  }

  // MARK: Purges

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `purges are by URLs, by prefixes and by tags`(kind: ProxyStorage.Kind) async throws {
    let (proxy, origin) = try await start(
      [
        "/a": [Self.whole("a")], "/dir/1": [Self.whole("1")],
        "/dir/2": [Self.whole("2", "Cache-Tag: two, news")],
        "/news": [Self.whole("n", "Surrogate-Key: old news")], "/other": [Self.whole("o")],
        "/named": [Self.whole("named")],
      ], kind)
    let paths = ["/a?b", "/dir/1", "/dir/2", "/news", "/other", "/named"]
    func hits() throws -> [String] {
      try paths.filter { try proxy.get($0)["cache-status"]?.contains("; hit") == true }
    }
    func purge(_ body: String) async throws -> String {
      proxy.clock.advance(by: 1)
      defer { proxy.clock.advance(by: 1) }
      return try await proxy.operate("POST", "/purge", [Self.admin], body: body).text
    }
    #expect(try hits() == [])
    #expect(try hits() == paths)

    let urls = #"["\#(origin.url("/a?b"))","https://www.example/named","/absent"]"#
    #expect(try await purge("{\"urls\":\(urls)}") == "{\"removed\":2}\n")
    #expect(try hits() == ["/dir/1", "/dir/2", "/news", "/other"])
    #expect(try await purge(#"{"prefixes":["/dir/","/none"]}"#) == "{\"removed\":2}\n")
    #expect(try hits() == ["/a?b", "/news", "/other", "/named"])
    #expect(try await purge(#"{"tags":["news"],"urls":["/other"]}"#) == "{\"removed\":3}\n")
    #expect(try hits() == ["/a?b", "/dir/1", "/named"])
    #expect(try await purge("{}") == "{\"removed\":0}\n")
    #expect(try hits() == paths)
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `a soft purge makes responses stale, which are confirmed once`(
    kind: ProxyStorage.Kind
  ) async throws {
    let fields = ["Cache-Control: max-age=600", "ETag: \"1\"", "Age: 3"]
    let (proxy, origin) = try await start(
      [
        "/a": [
          .text("made", fields: fields),
          .whole([], status: 304, fields: ["Cache-Control: max-age=600", "ETag: \"1\""]),
        ]
      ], kind)
    for _ in 0..<3 { _ = try proxy.get("/a") }
    proxy.clock.advance(by: 1)

    let softened = try await proxy.operate(
      "POST", "/purge", [Self.admin], body: #"{"prefixes":["/"],"soft":true}"#)
    let again = try await proxy.operate(
      "POST", "/purge", [Self.admin], body: #"{"prefixes":["/"],"soft":true}"#)
    let confirmed = try proxy.get("/a")
    let hit = try proxy.get("/a")

    #expect(softened.text == "{\"removed\":1}\n" && again.text == "{\"removed\":0}\n")
    #expect(confirmed.text == "made")
    #expect(confirmed["cache-status"]?.contains("fwd=stale; fwd-status=304") == true)
    #expect(hit["cache-status"]?.contains("; hit") == true)
    #expect(origin.requests.count == 2)
    #expect(origin.requests.last?["if-none-match"] == "\"1\"")
  }

  @Test func `a purge needs a key, and names what it may`() async throws {
    let (proxy, _) = try await start()
    let (without, _) = try await start(hasKeys: false)

    #expect(try await proxy.operate("POST", "/purge", body: "{}").status == 403)
    #expect(try await without.operate("POST", "/purge", [Self.admin], body: "{}").status == 405)
    for (body, code) in [
      (#"{"days":[]}"#, "bad_body"), (#"{"soft":1}"#, "bad_body"), ("", "bad_body"),
      (#"{"prefixes":["a"]}"#, "bad_prefix"), (#"{"tags":["a b"]}"#, "bad_tag"),
      (#"{"urls":["a"]}"#, "bad_url"),
    ] {
      let answer = try await proxy.operate("POST", "/purge", [Self.admin], body: body)
      #expect(answer.status == 400 && answer.text.contains("\"\(code)\""), "\(body)")
    }
    #expect(try await proxy.operate("PUT", "/purge", [Self.admin], body: "{}").status >= 400)
  }

  // MARK: The access log

  @Test func `the log has a line for each response`() async throws {
    let (proxy, _) = try await start(["/a": [Self.whole("made")]])

    for _ in 0..<3 { _ = try proxy.get("/a") }
    _ = try proxy.exchange("PURGE", "/a")
    await Condition.until { [lines] in lines.withLock { $0.count } == 4 }

    let log = lines.withLock { $0 }
    for text in [
      #"] "GET /a" 200 4 "#, " miss - 127.0.0.1 -", " hit - 127.0.0.1 -",
      #"] "PURGE /a" 403 "#, " none - 127.0.0.1 admin_key_required",
    ] {
      #expect(log.contains { $0.contains(text) }, "\(text) in \(log)")
    }
  }

  // MARK: Sources

  @Test(arguments: [
    ("imgcache; hit; ttl=9", ServerMetrics.Source.hit), ("imgcache; hit; ttl=-9", .stale),
    ("imgcache; hit; ttl=9; detail=shared", .shared),
    ("imgcache; fwd=stale; fwd-status=500; ttl=-3; detail=stale-if-error", .stale),
    ("imgcache; fwd=stale; fwd-status=304; stored", .revalidated),
    ("imgcache; fwd=request; fwd-status=304; stored", .revalidated),
    ("imgcache; fwd=stale; fwd-status=200; stored", .miss),
    ("imgcache; fwd=uri-miss; fwd-status=304", .miss), ("imgcache; fwd=vary-miss", .miss),
    ("imgcache; fwd=method; fwd-status=204", .pass), ("imgcache; fwd=bypass", .pass),
    ("up; hit, imgcache; fwd=uri-miss; fwd-status=200", .miss),
    ("up; fwd=method, imgcache; hit; ttl=1", .hit),
  ])
  func `the source of a response is that of this proxy`(
    status: String, source: ServerMetrics.Source
  ) {
    #expect(ProxyRoute.source(of: status) == source)
  }
}
