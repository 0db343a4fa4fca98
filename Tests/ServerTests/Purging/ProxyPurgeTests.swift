import Foundation
import Testing

@testable import CachingProxy
@testable import DiskCaching
@testable import HTTPCaching
@testable import HTTPListening
@testable import TestSupport

/// Purging what a proxy stores: by `PURGE`, and by groups of the origin.
@Suite struct `Purges of the proxy` {
  private static let admin = "Authorization: Bearer secret"

  private func start(
    _ scripts: [String: [FaultyOrigin.Answer]], _ kind: ProxyStorage.Kind = .memory,
    keys: [SigningKey]? = [SigningKey(name: "ops", secret: Array("secret".utf8))]
  ) async throws -> (proxy: ProxyFixture, origin: FaultyOrigin) {
    try await ProxyFixture.start(scripts, try ProxyStorage(kind)) { $0.adminKeys = keys }
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `PURGE removes a URL with its variants and is never forwarded`(
    kind: ProxyStorage.Kind
  ) async throws {
    let fields = ["Cache-Control: max-age=600", "Vary: Accept"]
    let (proxy, origin) = try await start(
      ["/a": [.text("made", fields: fields)], "/b": [.text("kept", fields: fields)]], kind)
    for accept in ["text/html", "image/png"] {
      for path in ["/a", "/b"] { for _ in 0..<3 { _ = try proxy.get(path, ["Accept: \(accept)"]) } }
    }
    #expect(origin.requests.count == 4)
    proxy.clock.advance(by: 1)

    let removed = try proxy.exchange("PURGE", "/a", [Self.admin])
    let again = try proxy.exchange("PURGE", "/a", [Self.admin])
    let head = try proxy.exchange("PURGE", "/b?query", [Self.admin], body: "x")
    proxy.clock.advance(by: 1)

    #expect(removed.status == 200)
    #expect(removed.text == "{\"removed\":2}\n")
    #expect(again.text == "{\"removed\":0}\n")
    #expect(head.text == "{\"removed\":0}\n")
    #expect(origin.requests.map(\.method) == ["GET", "GET", "GET", "GET"])
    let html = ["Accept: text/html"]
    #expect(try proxy.get("/b", html)["cache-status"]?.contains("; hit") == true)
    #expect(try proxy.get("/a", html)["cache-status"]?.contains("fwd=uri-miss") == true)
    #expect(try proxy.get("/a", html)["cache-status"]?.contains("; hit") == true)
    #expect(origin.requests.count == 5)
  }

  @Test func `PURGE needs a key, and is 405 without configured keys`() async throws {
    let (proxy, origin) = try await start(["/a": [.text("made")]])
    let (without, _) = try await start([:], keys: nil)

    #expect(try proxy.exchange("PURGE", "/a").status == 403)
    #expect(try proxy.exchange("PURGE", "/a", ["Authorization: Bearer other"]).status == 403)
    let absent = try without.exchange("PURGE", "/a", [Self.admin])
    #expect(absent.status == 405)
    #expect(absent["allow"]?.contains("GET") == true)
    proxy.proxy.replaceAdminKeys(by: [SigningKey(name: nil, secret: Array("other".utf8))])
    #expect(try proxy.exchange("PURGE", "/a", ["Authorization: Bearer other"]).status == 200)
    #expect(try proxy.exchange("PURGE", "/a", [Self.admin]).status == 403)
    // Another method name, forwarded to the origin.
    #expect(try proxy.exchange("purge", "/a").status == 200)
    #expect(origin.requests.map(\.method) == ["purge"])
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `a response in flight is delivered but not stored, and later requests do not join it`(
    kind: ProxyStorage.Kind
  ) async throws {
    let gate = Gate()
    let body = Array("made".utf8)
    let head = FaultyOrigin.head(length: body.count, fields: ["Cache-Control: max-age=600"])
    let (proxy, origin) = try await start(
      ["/a": [.held(head, gate, body), .text("changed", fields: ["Cache-Control: max-age=600"])]],
      kind)

    async let early = OffPool.run { try proxy.get("/a") }
    await Condition.until { origin.requests.count == 1 }
    proxy.clock.advance(by: 1)
    let removed = try proxy.exchange("PURGE", "/a", [Self.admin])
    proxy.clock.advance(by: 1)
    let late = try proxy.get("/a")
    gate.open()

    #expect(removed.status == 200)
    #expect(late.text == "changed")
    #expect(try await early.text == "made")
    #expect(try proxy.get("/a").text == "changed")
    #expect(origin.requests.count == 2)
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `a change of one resource invalidates the groups that the origin names`(
    kind: ProxyStorage.Kind
  ) async throws {
    func whole(_ text: String, _ groups: String) -> FaultyOrigin.Answer {
      .text(text, fields: ["Cache-Control: max-age=600", "Cache-Groups: \(groups)"])
    }
    let invalidation = "Cache-Group-Invalidation: \"menu\";a=1, \"x y\", token"
    let (proxy, _) = try await start(
      [
        "/menu": [whole("menu", "\"menu\", \"page\"")], "/page": [whole("page", "\"page\"")],
        "/token": [whole("token", "menu, \"token\"")], "/bad": [whole("bad", "\"menu\" \"page\"")],
        "/case": [whole("case", "\"Menu\"")], "/two": [whole("two", "\"x y\"")],
        "/read": [.text("read", fields: [invalidation])],
        "/failed": [.whole([], status: 500, fields: [invalidation])],
        "/post": [.whole([], status: 204, fields: [invalidation])],
      ], kind)
    let paths = ["/menu", "/page", "/token", "/bad", "/case", "/two"]
    func hits() throws -> [String] {
      try paths.filter { try proxy.get($0)["cache-status"]?.contains("; hit") == true }
    }
    #expect(try hits() == [])
    #expect(try hits() == paths)

    // A safe request changes nothing, nor does one that failed (RFC 9875 §3).
    _ = try proxy.get("/read")
    _ = try proxy.exchange("POST", "/failed", body: "x")
    #expect(try hits() == paths)
    let posted = try proxy.exchange("POST", "/post", body: "x")

    #expect(posted["cache-group-invalidation"] != nil)
    #expect(try hits() == ["/page", "/token", "/bad", "/case"])
  }
}
