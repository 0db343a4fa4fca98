import Foundation
import Testing

@testable import SampleFeed
@testable import TestSupport

/// Failures of origins: each has a clear line, a stable code and exit 1, and no effect on the other
/// images.
@Suite(
  .serialized, .needsFixtures, .needsProgram,
  .timeLimit(.minutes(15)))
struct `Bad input` {
  /// One rule for the replay script and its expected outcome.
  struct Fault: Sendable, CustomTestStringConvertible {
    var action: String
    var code: String
    var arguments: [String] = []
    var testDescription: String { "\(code): \(action)" }
  }

  private static let faults = [
    Fault(action: #""do":"status","status":403"#, code: "http_status"),
    Fault(action: #""do":"status","status":404"#, code: "http_status"),
    Fault(action: #""do":"status","status":410"#, code: "http_status"),
    Fault(
      action: #""do":"status","status":429,"headers":{"Retry-After":"0"}"#, code: "http_status"),
    Fault(action: #""do":"status","status":500"#, code: "http_status"),
    Fault(action: #""do":"status","status":503"#, code: "http_status"),
    Fault(action: #""do":"status","status":200"#, code: "empty_body"),
    Fault(action: #""do":"cut","bytes":1000"#, code: "short_body"),
    Fault(action: #""do":"reset","bytes":0"#, code: "connection_reset"),
    // Timeouts for a busy machine, for the others have to arrive within the same time.
    Fault(
      action: #""do":"drip","bytes":32,"seconds":0.5"#, code: "timeout",
      arguments: ["--timeout", "5"]),
    Fault(
      action: #""do":"drip","bytes":900,"seconds":0.5"#, code: "timeout",
      arguments: ["--max-time", "5"]),
    Fault(
      action: #""do":"delay","seconds":60"#, code: "timeout", arguments: ["--timeout", "5"]),
    Fault(
      action: #""do":"body","text":"<html><body>busy</body></html>","type":"image/jpeg""#,
      code: "not_an_image"),
    Fault(
      action: #""do":"body","text":"{\"error\":1}","type":"image/jpeg""#, code: "not_an_image"),
    Fault(action: #""do":"garble","at":0"#, code: "not_an_image"),
    Fault(action: #""do":"garble","at":200"#, code: "corrupt"),
    Fault(action: #""do":"redirect","to":"http://10.0.0.1/x.jpg""#, code: "host_not_allowed"),
    Fault(
      action: #""do":"redirect","to":"http://169.254.169.254/x.jpg""#, code: "host_not_allowed"),
    Fault(action: #""do":"redirect","to":"http://127.0.0.1:1/x.jpg""#, code: "host_not_allowed"),
    Fault(action: #""do":"redirect","to":"file:///etc/passwd""#, code: "unsupported_scheme"),
  ]

  /// The images of 2020-06-16 as paths at the replaying origin, sorted; the first is the one that
  /// fails.
  private func paths() throws -> [String] {
    let bytes = try SharedFixtures.bytes("zhihu/api/days/20200616.latest.json")
    return try RecordedDays.imageURLs(in: bytes).map { url in
      String(url.drop { $0 != "/" }.dropFirst())
    }.sorted()
  }

  private func prefetch(
    _ origin: ReplayOrigin, _ cache: Scratch, _ arguments: [String]
  ) async throws -> PrefetchReport {
    try await Tool.prefetch(cache, ["--retries", "0", "--api", origin.origin] + arguments)
  }

  /// Starts an origin where a rule holds for one image.
  private func origin(
    _ action: String, times: Int? = nil
  ) throws -> (origin: ReplayOrigin, url: String, all: Set<String>) {
    let paths = try paths()
    let path = try #require(paths.first)
    let pattern = NSRegularExpression.escapedPattern(for: path).replacing("\\", with: "\\\\")
    let count = times.map { #""times":\#($0),"# } ?? ""
    let action = action.replacing("$PATH", with: path)
    let origin = try ReplayOrigin(
      latest: "20200616", faults: #"[{"match":"\#(pattern)",\#(count)\#(action)}]"#)
    return (origin, origin.origin + path, Set(paths.map { origin.origin + $0 }))
  }

  @Test(arguments: faults)
  func `a failed image is reported, and all others are stored`(fault: Fault) async throws {
    let (origin, url, all) = try origin(fault.action)
    defer { origin.stop() }
    let cache = try Scratch()

    let outcome = try await prefetch(origin, cache, fault.arguments)

    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(outcome.codes == [url: fault.code], "\(outcome.failed)")
    #expect(outcome.images.count == all.count)
    #expect(outcome.summary["failed"] as? Int == 1)
    #expect(!outcome.errors.isEmpty)
    let kept = try await Tool.imgcache.run(["path", "--cache-dir", cache / "cache"] + all)
    #expect(kept.status == 1 && kept.errors.contains(url))
    #expect(kept.output.split(separator: "\n").count == all.count - 1)
  }

  @Test(arguments: [
    #""do":"status","status":503"#, #""do":"status","status":429,"headers":{"Retry-After":"0"}"#,
    #""do":"cut","bytes":1000"#, #""do":"reset","bytes":500"#,
  ])
  func `a transient failure is retried`(action: String) async throws {
    let (origin, _, all) = try origin(action, times: 1)
    defer { origin.stop() }
    let cache = try Scratch()

    let outcome = try await prefetch(origin, cache, ["--retries", "2"])

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.images.count == all.count && outcome.failed.isEmpty)
  }

  @Test func `a redirect loop ends`() async throws {
    let (origin, url, _) = try origin(#""do":"redirect","to":"$PATH""#)
    defer { origin.stop() }

    let outcome = try await prefetch(origin, try Scratch(), [])

    #expect(outcome.status == 1)
    #expect(outcome.codes == [url: "too_many_redirects"])
  }

  @Test func `a body larger than the limit is refused`() async throws {
    let (origin, _, all) = try origin(#""do":"headers","headers":{}"#)
    defer { origin.stop() }

    let outcome = try await prefetch(origin, try Scratch(), ["--max-bytes", "20000"])

    #expect(outcome.status == 1)
    #expect(Set(outcome.codes.values) == ["too_large"])
    #expect(outcome.images.count == all.count && outcome.failed.count == 5)
  }

  @Test func `an endless body is cut off at the limit`() async throws {
    let server = try LoopbackServer { _, connection in
      connection.send("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n\r\n")
      while connection.send([UInt8](repeating: 0xFF, count: 65_536)) {}
      return false
    }
    defer { server.stop() }
    let list = "\(server.origin)/endless.jpg\n"

    let outcome = try await Tool.prefetch(
      try Scratch(),
      ["--retries", "0", "--feed", "-", "--allow-private-network", "--max-bytes", "1000000"],
      input: list)

    #expect(outcome.status == 1, "\(outcome.errors)")
    #expect(
      outcome.codes.values.contains("too_large") || outcome.codes.values.contains("not_an_image"))
  }

  @Test func `an unresolved host is reported`() async throws {
    let outcome = try await Tool.prefetch(
      try Scratch(), ["--retries", "0", "--feed", "-"], input: "http://no-such-host.invalid/x.jpg\n"
    )

    #expect(outcome.status == 1)
    #expect(outcome.codes == ["http://no-such-host.invalid/x.jpg": "dns_failed"])
  }

  @Test func `a wrong name or media type of a valid image does no harm`() async throws {
    let files = [
      "/gif-named.jpg": try SharedFixtures.bytes("zhihu/images/mismatch/gif-named.jpg"),
      "/jpeg-named.webp": try SharedFixtures.bytes("zhihu/images/mismatch/jpeg-named.webp"),
    ]
    let server = try LoopbackServer { request in
      LoopbackResponse(
        status: files[request.target] == nil ? 404 : 200, headers: [("Content-Type", "text/plain")],
        body: files[request.target] ?? [])
    }
    defer { server.stop() }
    let list = files.keys.map { server.origin + $0 }.joined(separator: "\n")

    let outcome = try await Tool.prefetch(
      try Scratch(), ["--feed", "-", "--allow-private-network"], input: list)

    #expect(outcome.status == 0, "\(outcome.errors)")
    let formats = Dictionary(
      outcome.images.map { ($0["url"] as? String ?? "", $0["format"] as? String ?? "") },
      uniquingKeysWith: { first, _ in first })
    #expect(
      formats == [
        server.origin + "/gif-named.jpg": "gif", server.origin + "/jpeg-named.webp": "jpeg",
      ])
  }

  @Test(arguments: [
    (#""do":"status","status":200"#, ["not_json", "empty_body"]),
    (#""do":"body","text":"","type":"application/json""#, ["not_json", "empty_body"]),
    (#""do":"body","text":"<html>","type":"text/html""#, ["not_json"]),
    (#""do":"body","text":"Too many requests","type":"text/plain""#, ["not_json"]),
    (#""do":"body","text":"{}","type":"application/json""#, ["not_a_feed"]),
    (#""do":"body","text":"{\"stories\":[]}","type":"application/json""#, ["day_not_found"]),
    (#""do":"status","status":404"#, ["http_status"]),
    (#""do":"status","status":503"#, ["http_status"]),
    (#""do":"reset","bytes":0"#, ["connection_reset"]),
    (#""do":"cut","bytes":100"#, ["short_body"]),
    (#""do":"redirect","to":"http://10.0.0.1/""#, ["host_not_allowed"]),
  ])
  func `an API failure is a clear line and exit 1`(
    action: String, codes: [String]
  ) async throws {
    let origin = try ReplayOrigin(latest: "20200616", faults: #"[{"match":"^/api/",\#(action)}]"#)
    defer { origin.stop() }

    let outcome = try await prefetch(origin, try Scratch(), [])

    #expect(outcome.status == 1)
    #expect(!outcome.errors.isEmpty)
    #expect(
      outcome.errorCodes.contains { codes.contains($0) }, "\(outcome.output) \(outcome.errors)")
  }

  @Test func `one unavailable day does not prevent the others`() async throws {
    let origin = try ReplayOrigin(latest: "20200616")
    defer { origin.stop() }

    let outcome = try await prefetch(
      origin, try Scratch(), ["20160802", "20160804", "20240522"])

    #expect(outcome.status == 1)
    #expect(outcome.failed.isEmpty && !outcome.images.isEmpty)
    #expect(Set(outcome.images.compactMap { $0["day"] as? String }) == ["20160802", "20240522"])
  }

  @Test func `a cache that cannot be written is exit 2`() async throws {
    let origin = try ReplayOrigin(latest: "20200616")
    defer { origin.stop() }
    let folder = try Scratch()
    try Data("a file".utf8).write(to: URL(fileURLWithPath: folder / "file"))

    for place in [folder / "file", folder / "file/cache", "/proc/imgcache"] {
      let outcome = try await Tool.imgcache.run(
        ["prefetch", "--json", "--api", origin.origin, "--cache-dir", place])
      #expect(outcome.status == 2)
      #expect(!outcome.errors.isEmpty)
    }
  }

  @Test func `images that do not fit the limit are exit 2`() async throws {
    let origin = try ReplayOrigin(latest: "20200616")
    defer { origin.stop() }

    let outcome = try await prefetch(origin, try Scratch(), ["--max-size", "60000", "--no-keep"])

    #expect(outcome.status == 2)
    #expect(!outcome.errors.isEmpty)
  }
}
