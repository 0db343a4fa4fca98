import Foundation
import HTTPTypes
import Testing

@testable import CachingProxy
@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel
@testable import TestSupport

/// Responses that are answered on the event loop.
@Suite struct `Prepared responses` {
  static let fresh = "Cache-Control: max-age=1000"

  /// Requests on one connection; the last one closes it.
  static func talk(_ port: UInt16, _ requests: String) throws -> [UInt8] {
    let client = try RawClient(port: port)
    client.send(requests)
    return client.readBytesToEnd()
  }

  static func request(
    _ lines: [String] = [], method: String = "GET", target: String = "/a",
    version: String = "1.1", isLast: Bool = true
  ) -> String {
    let all = ["Host: localhost"] + (isLast ? ["Connection: close"] : []) + lines
    return "\(method) \(target) HTTP/\(version)\r\n" + all.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  /// A proxy in front of an origin of `/a`, with a store that counts reuses.
  private static func start(
    _ answers: [FaultyOrigin.Answer], _ kind: ProxyStorage.Kind
  ) async throws -> (
    proxy: ProxyFixture, origin: FaultyOrigin, store: CountingStore, cache: DiskCache?
  ) {
    let (origin, storage) = (try FaultyOrigin(["/a": answers]), try ProxyStorage(kind))
    let store = CountingStore(storage.storage)
    let proxy = try await ProxyFixture(
      origin: origin.url(""), storage: .store(store), clock: storage.clock,
      others: [origin, storage])
    return (proxy, origin, store, storage.cache)
  }

  // MARK: The same bytes

  struct Case: Sendable, CustomTestStringConvertible {
    var status = 200
    var fields: [String] = []
    var count = 10
    var testDescription: String { "\(status) \(fields) \(count)" }
  }

  static let cases = [
    Case(), Case(fields: ["ETag: \"1\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"]),
    Case(fields: ["ETag: W/\"1\""]), Case(fields: ["ETag: \"a,b\""]), Case(count: 0),
    Case(fields: ["Age: 7", "Via: 1.1 other", "Cache-Status: other; hit"]),
    Case(fields: ["Cache-Status: other; hit", "Age: 7", "Age: 9", "X-A: 1", "X-A: 2"]),
    Case(status: 404), Case(status: 301, fields: ["Location: /b"]),
    Case(status: 404, fields: ["ETag: \"1\""]), Case(status: 204, count: 0),
    Case(fields: ["Vary: Accept-Encoding"]), Case(fields: ["Vary: X-A, Accept-Encoding"]),
    Case(fields: ["ETag: \"1\""], count: 40_000), Case(fields: ["ETag: \"1\""], count: 300_000),
    Case(fields: ["ETag: \"1\""], count: 300_000), Case(fields: ["ETag: \"1\""], count: 40_000),
    Case(fields: ["Set-Cookie: a=1", "Cache-Control: public, max-age=1000"]),
    Case(fields: ["Cache-Control: private=\"x-a\", max-age=1000", "X-A: 1"]),
  ]

  static let requests: [([String], String, String)] = [
    ([], "GET", "1.1"), ([], "HEAD", "1.1"), ([], "GET", "1.0"), ([], "HEAD", "1.0"),
    (["If-None-Match: \"1\""], "GET", "1.1"), (["If-None-Match: \"1\""], "HEAD", "1.1"),
    (["If-None-Match: W/\"1\""], "GET", "1.1"), (["If-None-Match: \"2\""], "GET", "1.1"),
    (["If-None-Match: \"2\", \"1\""], "GET", "1.1"), (["If-None-Match: *"], "GET", "1.1"),
    (["If-None-Match: \"2\"", "If-None-Match: \"1\""], "GET", "1.1"),
    (["If-None-Match: "], "GET", "1.1"), (["If-None-Match: \"a,b\""], "GET", "1.1"),
    (["If-None-Match: \"1\"", "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"], "GET", "1.1"),
    (["If-Modified-Since: Sun, 06 Nov 2044 08:49:37 GMT"], "GET", "1.1"),
    (["Range: bytes=2-4"], "GET", "1.1"), (["Range: bytes=900000-"], "GET", "1.1"),
    (["Accept-Encoding: gzip"], "GET", "1.1"), (["Accept-Encoding: br"], "GET", "1.1"),
    (["Accept-Encoding: gzip", "Accept-Encoding: br"], "GET", "1.1"),
    (["X-A: 1"], "GET", "1.1"), (["Content-Length: 0"], "GET", "1.1"),
    (["Connection: Accept-Encoding", "Accept-Encoding: gzip"], "GET", "1.1"),
  ]

  /// Each request is sent twice: plainly, and with a meaningless directive, so that a lookup
  /// answers it.
  @Test(.isLong, arguments: cases.enumerated().map { (ProxyStorage.Kind.allCases[$0 % 2], $1) })
  func `have the same bytes as a lookup`(kind: ProxyStorage.Kind, test: Case) async throws {
    let body = [UInt8](repeating: 0x61, count: test.count)
    let own = test.fields.contains { $0.hasPrefix("Cache-Control") }
    let (proxy, origin, store, _) = try await Self.start(
      [.whole(body, status: test.status, fields: test.fields + (own ? [] : [Self.fresh]))], kind)

    for advance in [0.0, 3] {
      proxy.clock.advance(by: advance)
      for (lines, method, version) in Self.requests {
        let request = Self.request(lines, method: method, version: version)
        // The first may come from the origin, and the second prepares the response.
        for _ in 0..<2 { _ = try Self.talk(proxy.port, request) }
        let ready = try Self.talk(proxy.port, request)
        let lookedUp = try Self.talk(
          proxy.port,
          Self.request(lines + ["Cache-Control: nothing"], method: method, version: version))
        #expect(
          String(decoding: ready.prefix(2000), as: UTF8.self)
            == String(decoding: lookedUp.prefix(2000), as: UTF8.self), "\(lines) \(method)")
        #expect(ready == lookedUp)
      }
    }
    let reuseCount = store.reuseCount
    proxy.clock.advance(by: 2000)
    let asked = origin.requests.count
    _ = try Self.talk(proxy.port, Self.request())
    try await proxy.stop()

    #expect(reuseCount > 20 || test.status == 204)
    #expect(store.reuseCount == reuseCount && origin.requests.count == asked + 1)
  }

  // MARK: Changes

  @Test func `are not used after another process has removed the entry`() async throws {
    let origin = try FaultyOrigin(["/a": [.text("one", fields: [Self.fresh])]])
    let scratch = try Scratch()
    let configuration = DiskCache.Configuration(directory: scratch / "cache")
    let (cache, other) = (try DiskCache(configuration), try DiskCache(configuration))
    let proxy = try await ProxyFixture(
      origin: origin.url(""), storage: .disk(cache), clock: ManualClock())

    for _ in 0..<3 { _ = try proxy.get("/a") }
    #expect(origin.requests.count == 1)
    try await other.purge(CachePurge(urls: [origin.url("/a")]))

    #expect(try proxy.get("/a").text == "one")
    #expect(origin.requests.count == 2)
  }

  @Test(arguments: [10, 40_000], [true, false])
  func `are not used where the file is damaged or truncated`(count: Int, isCut: Bool) async throws {
    let body = [UInt8](repeating: 0x61, count: count)
    let origin = try FaultyOrigin(["/a": [.whole(body, fields: [Self.fresh])]])
    let scratch = try Scratch()
    var configuration = DiskCache.Configuration(directory: scratch / "cache")
    configuration.readVerification = .always
    let clock = ManualClock()
    configuration.clock = { clock.now }
    let cache = try DiskCache(configuration)
    let proxy = try await ProxyFixture(origin: origin.url(""), storage: .disk(cache), clock: clock)

    for _ in 0..<3 { _ = try proxy.get("/a") }
    let before = origin.requests.count
    let path = try #require(cache.core.path(for: .original(url: origin.url("/a"))))
    chmod(path, 0o644)
    let damaged = isCut ? Array(body.dropLast()) : Array(body.dropLast()) + [0x62]
    #expect(FileManager.default.createFile(atPath: path, contents: Data(damaged)))
    // A file is reopened after a second.
    clock.advance(by: 2)
    let answer = try proxy.get("/a")
    try await proxy.stop()

    #expect(before == 1 && origin.requests.count == 2)
    #expect(answer.body == body && answer.isWhole)
  }

  @Test(arguments: [5000, 300_000])
  func `are left to a blocking thread where the file is not in the page cache`(
    count: Int
  ) async throws {
    let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let (proxy, origin, store, cache) = try await Self.start(
      [.whole(body, fields: [Self.fresh])], .disk)
    for _ in 0..<2 { _ = try proxy.get("/a") }

    let path = try #require(cache?.core.path(for: .original(url: origin.url("/a"))))
    let file = open(path, O_RDONLY)
    fsync(file)
    #if canImport(Glibc)
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    #endif
    close(file)
    let answers = try (0..<2).map { _ in try proxy.get("/a") }

    #expect(answers.map(\.body) == [body, body])
    // An in-memory file system drops no pages.
    #expect((1...2).contains(store.reuseCount), "\(store.reuseCount)")
    #expect(origin.requests.count == 1)
  }

  @Test(arguments: zip(ProxyStorage.Kind.allCases, [100_000, 600_000]))
  func `are sent completely although the entry is removed meanwhile`(
    kind: ProxyStorage.Kind, count: Int
  ) async throws {
    let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 251) }
    let (proxy, origin, store, _) = try await Self.start([.whole(body, fields: [Self.fresh])], kind)

    for _ in 0..<2 { _ = try proxy.get("/a") }
    let client = try proxy.client(Self.request(), isNarrow: true)
    let first = client.read(byteCount: 1)
    store.removeAll(for: origin.url("/a"))
    let rest = client.readBytesToEnd()
    let answer = try RawAnswer(first + rest)

    #expect(store.reuseCount == 1)
    #expect(answer.body == body && answer.isWhole)
  }

  // MARK: Order

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `are sent in order behind a request that waits for the origin`(
    kind: ProxyStorage.Kind
  ) async throws {
    let gate = Gate()
    let slow = FaultyOrigin.head(length: 4) + Array("slow".utf8)
    let large = [UInt8](repeating: 0x62, count: 300_000)
    let (proxy, _) = try await ProxyFixture.start(
      [
        "/a": [.text("fast", fields: [Self.fresh])],
        "/b": [.whole(large, fields: [Self.fresh])], "/slow": [.held([], gate, slow)],
      ], try ProxyStorage(kind))
    for _ in 0..<2 {
      _ = try proxy.get("/a")
      _ = try proxy.get("/b")
    }

    let client = try RawClient(port: proxy.port)
    let targets = ["/a", "/b", "/a", "/slow", "/a", "/b", "/b", "/a", "/a"]
    for (place, target) in targets.enumerated() {
      client.send(Self.request(target: target, isLast: place == targets.count - 1))
    }
    await gate.arrivals(1)
    gate.open()
    var rest = client.readBytesToEnd()[...]
    var bodies: [String] = []
    while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
      let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self).lowercased()
      let length = head.components(separatedBy: "content-length: ").dropFirst().first
        .flatMap { Int($0.prefix { $0.isNumber }) }
      rest = rest[end.upperBound...]
      let body = rest.prefix(length ?? 0)
      bodies.append(body.count > 4 ? "\(body.count)" : String(decoding: body, as: UTF8.self))
      rest = rest.dropFirst(body.count)
    }

    #expect(
      bodies == ["fast", "300000", "fast", "slow", "fast", "300000", "300000", "fast", "fast"])
  }

  @Test func `are not sent after a response that closes the connection`() async throws {
    let chunked = Array(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n".utf8)
    let (proxy, _) = try await ProxyFixture.start([
      "/a": [.text("ready", fields: [Self.fresh])], "/open": [.raw(chunked)],
    ])
    for _ in 0..<2 { _ = try proxy.get("/a") }

    let client = try RawClient(port: proxy.port)
    let kept = ["Connection: keep-alive"]
    client.send(Self.request(kept, target: "/open", version: "1.0", isLast: false))
    client.send(Self.request(kept, version: "1.0", isLast: false))
    let answer = client.readToEnd()

    #expect(answer.hasSuffix("body"))
  }

  // MARK: Bounds

  @Test func `stay within their memory limit`() throws {
    let ready = ReadyResponses(maximumByteCount: 50_000)
    let entry = StreamingEntry(
      key: .original(url: "a"),
      response: StoredResponse(
        status: 200, fields: [.cacheControl: "max-age=1000", .date: HTTPDate.format(Date())],
        requestTime: Date(), responseTime: Date())
    ) { nil }
    for number in 0..<2000 {
      let response = try #require(
        ReadyResponse(
          entry, target: "/\(number % 700)", url: "a", revision: 1, variants: [entry],
          request: [:], at: Date(), profile: .proxy(),
          via: ViaField()))
      ready.insert(response)
      #expect(ready.byteCount <= 50_000)
    }

    #expect(ready.byteCount > 25_000)
  }

  @Test func `count their use where entries are evicted`() throws {
    // Room for four entries of 9 kB, and for one that arrives.
    let store = MemoryProxyStore(maximumByteCount: 50_000)
    func add(_ url: String) throws {
      let staged = try #require(store.stage(byteCount: 8000))
      try staged.append([UInt8](repeating: 0, count: 8000))
      try staged.commit(
        StoredResponse(status: 200, fields: [:], requestTime: .now, responseTime: .now), for: url)
    }
    for number in 0..<4 { try add("\(number)") }
    let revision = try #require(store.revision(of: "0"))

    let used = store.reuse(.original(url: "0"), of: "0", at: revision, needsBody: false)
    try add("4")

    #expect(used != nil)
    #expect(store.revision(of: "0") == revision && store.revision(of: "1") == nil)
    #expect(store.reuse(.original(url: "0"), of: "0", at: revision + 9, needsBody: true) == nil)
  }
}
