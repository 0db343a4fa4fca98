import Foundation
import Testing

@testable import HTTPListening
@testable import ThumbnailServer
@testable import TestSupport

@Suite struct `The status of a server` {
  private func server(
    _ change: @escaping (inout ThumbnailServer.Configuration) -> Void = { _ in }
  ) async throws -> ServerFixture {
    try await ServerFixture(
      ["/a.jpg": [.whole(SampleImages.widePhoto, fields: ["Cache-Control: max-age=600"])]],
      serving: change)
  }

  @Test func `the JSON counts client requests by source, and not its own`() async throws {
    let server = try await server()
    for _ in 0..<3 { _ = try await server.get(server.thumb("/a.jpg")) }
    _ = try await server.get("/nothing")
    _ = try await server.get("/status.json")

    let answer = try await server.get("/status.json")
    let status = try answer.serverStatus()

    #expect(answer.status == 200)
    #expect(answer["content-type"] == "application/json")
    #expect(answer["cache-control"] == "no-store")
    #expect(status.hour.requests == 4)
    #expect(status.hour.clientErrors == 1)
    #expect(status.hour.answers["miss"] == 1)
    #expect(status.hour.answers["memory"] == 2)
    #expect(status.hour.p50Seconds != nil)
    #expect(status.load.inFlight == 0)
    #expect(status.memory?.entries == 1)
    #expect(status.memory?.limit == 64 << 20)
    #expect(status.shared == nil)
  }

  @Test func `one URL gives a page or JSON, by the Accept field`() async throws {
    let server = try await server()
    let page = try await server.get("/status", ["Accept: text/html,application/json"])
    let json = try await server.get("/status", ["Accept: application/json"])
    let head = try await server.exchange("HEAD", "/status")
    let other = try await server.exchange("POST", "/status")

    #expect(page["content-type"] == "text/html; charset=utf-8")
    #expect(page["cache-control"] == "no-store")
    #expect(page["content-security-policy"] == Answer.sitePolicy)
    #expect(json["content-type"] == "application/json")
    #expect(json["vary"] == "Accept")
    #expect(head.status == 200)
    #expect(head.body.isEmpty)
    #expect(other.status == 405)
    for (file, type) in [("css", "text/css"), ("js", "text/javascript")] {
      let answer = try await server.get("/status/status.\(file)")
      #expect(answer.status == 200)
      #expect(answer["content-type"] == "\(type); charset=utf-8")
    }
  }

  @Test func `the page is in the browser's language, or the chosen one`() async throws {
    let server = try await server()
    func text(_ target: String, _ language: String) async throws -> String {
      let answer = try await server.get(target, ["Accept-Language: \(language)"])
      return String(decoding: answer.body, as: UTF8.self)
    }

    #expect(try await text("/status", "en-GB").contains("<h2>Hit rate</h2>"))
    #expect(try await text("/status", "zh-CN").contains("<h2>命中率</h2>"))
    #expect(try await text("/status?lang=en", "zh-CN").contains("<h2>Hit rate</h2>"))
  }

  /// A client from a non-loopback address needs a key; a test has no such address that it may
  /// use, so the rule is tested directly.
  @Test(arguments: [true, false])
  func `a remote client needs an admin key`(hasKeys: Bool) throws {
    let admins = hasKeys ? [SigningKey(name: nil, secret: Array("key".utf8))] : nil
    func admits(_ key: String?, isTrusted: Bool) -> Bool {
      RouteTable.admits(
        key.map { [.authorization: "Bearer \($0)"] } ?? [:], admins,
        ConnectionPresence(isTrusted: isTrusted))
    }

    #expect(admits(nil, isTrusted: true))
    #expect(!admits(nil, isTrusted: false))
    #expect(!admits("other", isTrusted: false))
    #expect(admits("key", isTrusted: false) == hasKeys)
  }

  @Test func `a page of an empty, and of an extreme, status is well-formed`() throws {
    var status = ServerStatus()
    status.now.p50Seconds = 1e300
    status.uptimeSeconds = .infinity
    status.memory = .init(entries: .max, bytes: .max, limit: 1)
    status.history.seconds = [30]
    for language in PageLanguage.allCases {
      for status in [ServerStatus(), status] {
        var status = status
        if !status.history.seconds.isEmpty { status.history = .filled(30, 121) }
        let html = StatusPage(status: status, language: language).html
        var open: [Substring] = []
        for tag in html.matches(of: #/<(/?)([a-z0-9]+)[^<>]*>/#)
        where !["meta", "link"].contains(tag.2) {
          if tag.1.isEmpty { open.append(tag.2) } else { #expect(open.popLast() == tag.2) }
        }
        #expect(open.isEmpty)
        #expect(!html.contains("nan"))
        #expect(!html.contains("inf,") && !html.contains(" inf"))
      }
    }
  }
}

extension RawAnswer {
  /// The status that a JSON body is.
  func serverStatus() throws -> ServerStatus {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(ServerStatus.self, from: Data(body))
  }
}

extension ServerStatus.History {
  /// A history of equal points.
  fileprivate static func filled(_ seconds: Double, _ count: Int) -> Self {
    var history = Self()
    history.seconds = [Double](repeating: seconds, count: count)
    let ones = [Int](repeating: 1, count: count)
    history.requests = ones
    history.errors = ones
    for source in ServerMetrics.Source.allCases { history.answers["\(source)"] = ones }
    history.memoryEvictions = ones
    history.diskEvictions = ones
    history.p50Seconds = [Double?](repeating: 0.001, count: count)
    history.p99Seconds = [Double?](repeating: 2.5, count: count)
    history.running = ["decode": ones, "origin": ones]
    history.waiting = ["decode": ones, "fetch": ones, "origin": ones, "collapsed": ones]
    return history
  }
}
