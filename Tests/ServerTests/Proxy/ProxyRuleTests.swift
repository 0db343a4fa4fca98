import HTTPTypes
import Testing

@testable import CachingProxy
@testable import HTTPCaching
@testable import HTTPListening
@testable import TestSupport

/// Rules of an operator, and the fields by which an origin says more than `Cache-Control` does.
@Suite struct `Rules of the proxy` {
  private static func rule(
    _ pattern: String, _ change: (inout ProxyRule) -> Void = { _ in }
  ) -> ProxyRule {
    var rule = ProxyRule(pattern: pattern)
    change(&rule)
    return rule
  }

  private static func status(_ answer: RawAnswer) -> String {
    (answer["cache-status"] ?? "").split(separator: "; ").dropFirst().first.map(String.init) ?? ""
  }

  @Test(arguments: [
    ("/a/*", "/a/b", true), ("/a/*", "/a/b/c", false), ("/a/**", "/a/b/c", true),
    ("/a/**", "/a", true), ("/a/**", "/a;v=1/b", true),
    ("/a/*", "/a/", true), ("/a*", "/a", true), ("**.js", "/x/y.js?v=1", true),
    ("*.js", "/y.js", false), ("/*/c", "/b/c", true), ("/*/c", "/a/b/c", false),
    ("/**/c", "/a/b/c", true), ("/admin/**", "/%61dmin/x", true), ("/admin/**", "//admin/x", true),
    ("/admin/**", "/a/../admin/./x", true), ("/admin/**", "/adminx", false), ("/a", "/a/", false),
    ("/a/", "/a/", true), ("**", "/", true), ("/", "/", true), ("/é", "/%C3%A9", true),
    ("/A", "/a", false), ("**a**a**a**a**b", "/" + String(repeating: "a", count: 3000), false),
  ])
  func `match a path as it is decoded, whole`(pattern: String, target: String, matches: Bool) {
    #expect(Self.rule(pattern).matches(target) == matches)
  }

  @Test(arguments: [
    ("/a?utm_source=1&b=2&utm_x", "/a?b=2"), ("/a?utm_source=1", "/a"), ("/a?b=2", "/a?b=2"),
    ("/a?%75tm_x=1&&b=%61", "/a?&b=%61"), ("/a?", "/a?"), ("/a?utm_a=1;x=2", "/a?utm_a=1;x=2"),
    ("/a?fbclid=7&fbclid2=8", "/a?fbclid2=8"),
  ])
  func `leave parameters out of the key alone`(target: String, key: String) {
    let rule = Self.rule("**") { $0.ignoredParameters = ["utm_*", "fbclid"] }
    #expect(rule.key(for: "http://a.test\(target)") == "http://a.test\(key)")
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `give a lifetime to responses that name none, and clients do not see it`(
    kind: ProxyStorage.Kind
  ) async throws {
    let (proxy, origin) = try await ProxyFixture.start(
      [
        "/x/none": [
          .text("none", fields: ["ETag: \"1\"", "Last-Modified: Thu, 01 Jan 2015 00:00:00 GMT"])
        ],
        "/x/own": [.text("own", fields: ["Cache-Control: max-age=10"])],
        "/x/no": [.text("no", fields: ["Cache-Control: no-store"])],
        "/x/private": [.text("mine", fields: ["Cache-Control: private"])],
        "/x/gone": [.whole(Array("gone".utf8), status: 404)], "/y": [.text("y")],
      ], try ProxyStorage(kind)
    ) {
      $0.rules = [
        Self.rule("/x/**") { $0.lifetime = .seconds(60) },
        Self.rule("**") { $0.lifetime = .seconds(5) },
      ]
    }
    for path in ["/x/none", "/x/own", "/x/no", "/x/private", "/x/gone", "/y"] {
      let first = try proxy.get(path)
      #expect(first["cache-control"]?.contains("max-age=60") != true)
      #expect(first["imgcache-default-control"] == nil)
    }
    proxy.clock.advance(by: 6)
    let hits = try ["/x/none", "/x/own"].map { try proxy.get($0) }
    #expect(hits.map(Self.status) == ["hit", "hit"])
    #expect(hits.allSatisfy { $0["imgcache-default-control"] == nil })
    #expect(hits[0]["cache-control"] == nil)
    for path in ["/x/no", "/x/private", "/x/gone", "/y"] {
      #expect(Self.status(try proxy.get(path)) != "hit", "\(path)")
    }
    proxy.clock.advance(by: 30)
    #expect(Self.status(try proxy.get("/x/none")) == "hit")
    #expect(Self.status(try proxy.get("/x/own")) == "fwd=stale")
    proxy.clock.advance(by: 30)
    #expect(Self.status(try proxy.get("/x/none")) == "fwd=stale")
    #expect(origin.requests.count == 12)
  }

  @Test func `an origin's own field of the defaults is not read`() async throws {
    let (proxy, origin) = try await ProxyFixture.start([
      "/a": [.text("a", fields: ["Imgcache-Default-Control: max-age=60"])]
    ])
    for _ in 0..<2 { #expect(try proxy.get("/a")["imgcache-default-control"] == nil) }
    #expect(origin.requests.count == 2)
  }

  @Test func `give a lifetime to what the origin has confirmed`() async throws {
    let (proxy, origin) = try await ProxyFixture.start([
      "/a": [
        .text("a", fields: ["ETag: \"1\""]), .whole([], status: 304, fields: ["ETag: \"1\""]),
        .text("b"),
      ]
    ]) {
      $0.rules = [Self.rule("**") { $0.lifetime = .seconds(60) }]
    }
    for seconds in [0, 61, 59] {
      proxy.clock.advance(by: Double(seconds))
      #expect(try proxy.get("/a").text == "a")
    }
    #expect(origin.requests.count == 2)
  }

  @Test func `give the time for which a stale response may be used`() async throws {
    let fields = ["Cache-Control: max-age=10", "ETag: \"1\""]
    let (proxy, origin) = try await ProxyFixture.start([
      "/a": [.text("a", fields: fields), .whole([], status: 503)]
    ]) {
      $0.rules = [Self.rule("**") { $0.staleIfError = .seconds(100) }]
    }
    _ = try proxy.get("/a")
    proxy.clock.advance(by: 50)
    #expect(try proxy.get("/a").text == "a")
    proxy.clock.advance(by: 100)
    #expect(try proxy.get("/a").status == 503)
    #expect(origin.requests.count == 3)
  }

  @Test func `pass requests on, also for what was stored before`() async throws {
    let storage = try ProxyStorage(.disk)
    let origin = try FaultyOrigin(["/a": [.text("a", fields: ["Cache-Control: max-age=60"])]])
    let before = try await ProxyFixture(origin: origin, storage)
    for _ in 0..<2 { _ = try before.get("/a") }
    #expect(origin.requests.count == 1)
    let proxy = try await ProxyFixture(origin: origin, storage) {
      $0.rules = [Self.rule("/a") { $0.isPassed = true }]
    }
    for _ in 0..<2 { #expect(Self.status(try proxy.get("/a")) == "fwd=bypass") }
    #expect(origin.requests.count == 3)
  }

  @Test func `parameters that do not count reach the origin, and purges know them`() async throws {
    let (proxy, origin) = try await ProxyFixture.start([
      "/a": [.text("a", fields: ["Cache-Control: max-age=60"])]
    ]) {
      $0.rules = [Self.rule("**") { $0.ignoredParameters = ["utm_*"] }]
      $0.adminKeys = [SigningKey(name: nil, secret: Array("secret".utf8))]
    }
    #expect(Self.status(try proxy.get("/a?utm_x=1&b=1")) == "fwd=uri-miss")
    #expect(Self.status(try proxy.get("/a?b=1&utm_y=2")) == "hit")
    #expect(Self.status(try proxy.get("/a?b=1")) == "hit")
    #expect(Self.status(try proxy.get("/a?b=2")) == "fwd=uri-miss")
    #expect(origin.requests.map(\.target) == ["/a?utm_x=1&b=1", "/a?b=2"])
    let purged = try proxy.exchange("PURGE", "/a?utm_z=3&b=1", ["Authorization: Bearer secret"])
    #expect(purged.text == "{\"removed\":1}\n")
    #expect(Self.status(try proxy.get("/a?b=1")) == "fwd=uri-miss")
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `No-Vary-Search lets a response answer other URLs`(kind: ProxyStorage.Kind) async throws {
    let variation = "No-Vary-Search: key-order, params=(\"utm\")"
    let fields = ["Cache-Control: max-age=60"]
    let (proxy, origin) = try await ProxyFixture.start(
      ["/s": [.text("varied", fields: fields + [variation])], "/t": [.text("t", fields: fields)]],
      try ProxyStorage(kind)
    ) { $0.adminKeys = [SigningKey(name: nil, secret: Array("secret".utf8))] }

    #expect(Self.status(try proxy.get("/s?a=1&b=2&utm=x")) == "fwd=uri-miss")
    for query in ["a=1&b=2&utm=x", "b=2&a=1", "utm=y&b=2&a=%31", "a=1&b=2"] {
      for _ in 0..<2 { #expect(Self.status(try proxy.get("/s?\(query)")) == "hit", "\(query)") }
    }
    #expect(Self.status(try proxy.get("/s?a=1&b=3")) == "fwd=uri-miss")
    #expect(Self.status(try proxy.get("/s?a=1")) == "fwd=uri-miss")
    // The field is about its own path.
    for query in ["a&b", "b&a"] {
      #expect(Self.status(try proxy.get("/t?\(query)")) == "fwd=uri-miss")
    }
    #expect(origin.requests.count == 5)

    let purged = try proxy.exchange("PURGE", "/s?utm=z&b=2&a=1", ["Authorization: Bearer secret"])
    #expect(purged.text == "{\"removed\":1}\n")
    #expect(Self.status(try proxy.get("/s?a=1&b=2")) == "fwd=uri-miss")
    _ = try proxy.exchange("POST", "/s?b=2&utm=1&a=1", body: "x")
    #expect(Self.status(try proxy.get("/s?a=1&b=2")) == "fwd=uri-miss")
  }

  @Test func `what No-Vary-Search has stored is known after a start, and purged`() async throws {
    let fields = ["Cache-Control: max-age=60"]
    let storage = try ProxyStorage(.disk)
    let origin = try FaultyOrigin([
      "/s": ["a", "b", "z"].map {
        .text($0, fields: fields + ["No-Vary-Search: params=(\"\($0)\")"])
      },
      "/t": [.text("t", fields: fields)],
    ])
    let before = try await ProxyFixture(origin: origin, storage)
    for query in ["a=1", "b=2&c", "z=3&d", "z=4&d"] { _ = try before.get("/s?\(query)") }
    #expect(origin.requests.count == 3)
    let proxy = try await ProxyFixture(origin: origin, storage) {
      $0.adminKeys = [SigningKey(name: nil, secret: Array("secret".utf8))]
    }
    #expect(Self.status(try proxy.get("/s?z=5&d")) == "hit")
    for query in ["a=9", "b=2&c", "d"] {
      let purged = try proxy.exchange("PURGE", "/s?\(query)", ["Authorization: Bearer secret"])
      #expect(purged.text == "{\"removed\":1}\n", "\(query)")
    }
    for query in ["", "c=", "d="] { #expect(Self.status(try proxy.get("/s?\(query)")) != "hit") }
  }

  @Test func `a response that no longer has No-Vary-Search is found again`() async throws {
    let fields = ["Cache-Control: max-age=60"]
    let (proxy, origin) = try await ProxyFixture.start([
      "/s": [
        .text("1", fields: fields + ["No-Vary-Search: params=(\"a\")"]), .text("2", fields: fields),
        .text("3", fields: fields),
      ]
    ])
    #expect(try proxy.get("/s?a=1").text == "1")
    #expect(try proxy.get("/s?a=1", ["Cache-Control: no-cache"]).text == "2")
    for _ in 0..<2 { #expect(try proxy.get("/s?a=1").text == "2") }
    #expect(try proxy.get("/s?a=2").text == "3")
    #expect(try proxy.get("/s?a=2").text == "3")
    #expect(origin.requests.count == 3)
  }

  @Test func `a response without No-Vary-Search answers its own URL alone`() async throws {
    let fields = ["Cache-Control: max-age=60"]
    let (proxy, origin) = try await ProxyFixture.start([
      "/s": [
        .text("varied", fields: fields + ["No-Vary-Search: params=(\"utm\")"]),
        .text("plain", fields: fields), .text("third", fields: fields),
      ]
    ])
    #expect(try proxy.get("/s?q=a&utm=1").text == "varied")
    #expect(try proxy.get("/s?q=b").text == "plain")
    // It would be found under the URL without the parameter.
    #expect(try proxy.get("/s?q=b&utm=1").text == "third")
    #expect(try proxy.get("/s?q=b").text == "plain")
    #expect(try proxy.get("/s?q=a").text == "varied")
    #expect(origin.requests.count == 3)
  }

  @Test func `targeted fields rule in their order`() async throws {
    let names = ["Edge-Control", "CDN-Cache-Control"].compactMap { HTTPField.Name($0) }
    let (proxy, origin) = try await ProxyFixture.start([
      "/edge": [
        .text(
          "1",
          fields: [
            "Edge-Control: max-age=60", "CDN-Cache-Control: max-age=1", "Cache-Control: no-store",
          ])
      ],
      "/next": [
        .text(
          "2",
          fields: ["Edge-Control: max-age=\"x\"", "CDN-Cache-Control: max-age=60", "Expires: 0"])
      ], "/none": [.text("3", fields: ["Other-Control: max-age=60"])],
    ]) { $0.targetedFields = names }
    for path in ["/edge", "/next", "/none"] { _ = try proxy.get(path) }
    proxy.clock.advance(by: 30)
    #expect(
      try ["/edge", "/next", "/none"].map { Self.status(try proxy.get($0)) }
        == ["hit", "hit", "fwd=uri-miss"])
    // Ready now, they are not looked up.
    #expect(try ["/edge", "/next"].map { Self.status(try proxy.get($0)) } == ["hit", "hit"])
    #expect(origin.requests.count == 4)
  }

  @Test func `no targeted field counts where none is named`() async throws {
    let (proxy, origin) = try await ProxyFixture.start([
      "/a": [.text("a", fields: ["CDN-Cache-Control: max-age=60", "Cache-Control: no-store"])]
    ]) { $0.targetedFields = [] }
    for _ in 0..<2 { _ = try proxy.get("/a") }
    #expect(origin.requests.count == 2)
  }
}
