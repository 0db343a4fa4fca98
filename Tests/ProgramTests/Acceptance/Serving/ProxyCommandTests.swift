import Foundation
import Testing

@testable import TestSupport

@Suite(.needsProgram) struct `imgcache proxy` {
  /// The program, once it has reported its port.
  func start(_ arguments: [String], _ scratch: Scratch) async throws -> (ChildProcess, UInt16) {
    let child = try Tool.imgcache.start(
      ["proxy", "--listen", "127.0.0.1:0", "--json", "--cache-dir", scratch / "cache"] + arguments,
      writingTo: scratch)
    return (child, try await child.listening(from: scratch).port)
  }

  @Test(arguments: [[], ["--memory"]])
  func `it serves from the cache, and SIGTERM drains it`(options: [String]) async throws {
    let origin = try FaultyOrigin([
      "/base/a": [.whole(Array("kept".utf8), fields: ["Cache-Control: max-age=100"])]
    ])
    defer { origin.stop() }
    let scratch = try Scratch()
    let (child, port) = try await start(["--origin", origin.url("/base")] + options, scratch)

    let first = try RawClient(port: port).exchange("GET", "/a")
    let second = try RawClient(port: port).exchange("GET", "/a")
    child.signal(SIGTERM)
    let status = try await child.end()

    #expect(first["cache-status"] == "imgcache; fwd=uri-miss; fwd-status=200; stored")
    #expect(second["cache-status"]?.hasPrefix("imgcache; hit; ttl=") == true)
    #expect(second["age"] != nil)
    #expect(origin.requests.count == 1)
    #expect(status == 0)
  }

  @Test(arguments: [([], 2), (["--store-set-cookie"], 1)])
  func `a response with Set-Cookie is shared where the option permits it`(
    options: [String], count: Int
  ) async throws {
    let fields = ["Cache-Control: max-age=100", "Set-Cookie: session=1"]
    let origin = try FaultyOrigin(["/a": [.whole(Array("page".utf8), fields: fields)]])
    defer { origin.stop() }
    let scratch = try Scratch()
    let (child, port) = try await start(
      ["--origin", origin.url(""), "--memory"] + options, scratch)

    for _ in 0..<2 { _ = try RawClient(port: port).exchange("GET", "/a") }
    child.signal(SIGTERM)
    let status = try await child.end()

    #expect(origin.requests.count == count)
    #expect(status == 0)
  }

  @Test func `a port in use exits with 2, a malformed origin with 64`() async throws {
    let origin = try FaultyOrigin()
    defer { origin.stop() }

    let taken = try await Tool.imgcache.run([
      "proxy", "--memory", "--listen", "127.0.0.1:\(origin.port)", "--origin", "http://a.invalid",
    ])
    let nonsense = try await Tool.imgcache.run(["proxy", "--memory", "--origin", "ftp://a.invalid"])
    let misuse = try await Tool.imgcache.run(["proxy", "--memory"])

    #expect(taken.status == 2)
    #expect(taken.errors.contains("cannot listen"))
    #expect(nonsense.status == 64)
    #expect(nonsense.errors.contains("not an origin"))
    #expect(misuse.status == 64)
  }
}
