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

  /// - Parameter asked: How often the origin is asked for a response with `Set-Cookie`.
  @Test(arguments: [([], 2), (["--memory", "--store-set-cookie"], 1)])
  func `it serves from the cache, and SIGTERM drains it`(
    options: [String], asked: Int
  ) async throws {
    let lifetime = "Cache-Control: max-age=100"
    let origin = try FaultyOrigin([
      "/base/a": [.whole(Array("kept".utf8), fields: [lifetime])],
      "/base/b": [.whole(Array("page".utf8), fields: [lifetime, "Set-Cookie: session=1"])],
    ])
    let scratch = try Scratch()
    let (child, port) = try await start(["--origin", origin.url("/base")] + options, scratch)

    let first = try RawClient(port: port).exchange("GET", "/a")
    let second = try RawClient(port: port).exchange("GET", "/a")
    for _ in 0..<2 { _ = try RawClient(port: port).exchange("GET", "/b") }
    child.signal(SIGTERM)

    #expect(try await child.end() == 0)
    #expect(first["cache-status"] == "imgcache; fwd=uri-miss; fwd-status=200; stored")
    #expect(second["cache-status"]?.hasPrefix("imgcache; hit; ttl=") == true)
    #expect(second["age"] != nil)
    #expect(origin.requests.count { $0.path == "/base/a" } == 1)
    #expect(origin.requests.count { $0.path == "/base/b" } == asked)
  }
}
