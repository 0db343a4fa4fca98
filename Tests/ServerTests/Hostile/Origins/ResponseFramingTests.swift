import Foundation
import HTTPTypes
import Testing

@testable import CachingProxy
@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

/// Body lengths are unambiguous, to libcurl as to the client (RFC 9112 §6).
@Suite struct `An origin with an ambiguous length` {
  static let ok = "HTTP/1.1 200 OK\r\n"

  static let refused = [
    "Content-Length: 3 4\r\n", "Content-Length: +3\r\n", "Content-Length: 3.0\r\n",
    "Content-Length: 0x3\r\n", "Content-Length: 3, 4\r\n", "Content-Length: 3;x\r\n",
    "Content-Length: 3\r\nContent-Length: 4\r\n", "Content-Length: 4\r\nContent-Length: 3\r\n",
    "Content-Length: -3\r\n", "Content-Length:\r\n", "Content-Length: 3,\r\n",
    "Content-Length: 18446744073709551619\r\n", "Content-Length: 9223372036854775808\r\n",
    "Content-Length: 3\r\n 4\r\n", "Content-Length:\r\n 3\r\n", "Content-Length : 3\r\n",
    "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: gzip, chunked\r\n",
    "Transfer-Encoding: gzip\r\n", "Transfer-Encoding: x-gzip\r\n",
    "Transfer-Encoding: unknown, other\r\n", "Transfer-Encoding: identity\r\n",
    "Transfer-Encoding:\r\n",
    "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: \"chunked\"\r\n",
    "Transfer-Encoding: chunked;q=1\r\n", "Transfer-Encoding : chunked\r\n",
    "Transfer-Encoding:\r\n chunked\r\n", "Transfer-Encoding: chunked\r\n\t,gzip\r\n",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 3 4\r\n",
  ]

  @Test(arguments: refused)
  func `is an error, and a 502 from the proxy`(lines: String) async throws {
    let origin = try HostileOrigin(Self.ok + lines + "\r\n3\r\nabc\r\n0\r\n\r\n")

    let (error, status) = try await origin.refusals()

    #expect(error?.code == .protocolError, "\(error?.message ?? "no error")")
    #expect(status == 502)
  }

  @Test(arguments: ["Content-Length: 3, 3\r\n", "Content-Length: 3\r\nContent-Length: 03\r\n"])
  func `has equal lengths forwarded as one number`(lines: String) async throws {
    let origin = try HostileOrigin(Self.ok + lines + "\r\nabc")

    let answer = try await origin.proxied()[0]
    let body = try await FetcherFixture().fetch(origin.url()).body.text

    #expect(answer["content-length"] == "3")
    #expect(answer.text == "abc")
    #expect(body == "abc")
  }

  @Test(arguments: [
    "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
    "Content-Length: 100\r\nTransfer-Encoding: Chunked\r\n",
  ])
  func `has its length removed beside chunks`(lines: String) async throws {
    let origin = try HostileOrigin(Self.ok + lines + "\r\n3\r\nabc\r\n0\r\n\r\n")

    let answer = try await origin.proxied()[0]
    let body = try await FetcherFixture().fetch(origin.url()).body.text

    #expect(answer["content-length"] == nil)
    #expect(answer["transfer-encoding"] == "chunked")
    #expect(answer.text == "abc")
    #expect(body == "abc")
  }

  @Test func `has an unknown coding forwarded up to the end of the connection`() async throws {
    let origin = try HostileOrigin(Self.ok + "Transfer-Encoding: unknown\r\n\r\n3\r\nabc\r\n")

    let answer = try await origin.proxied()[0]
    let error = try await FetcherFixture().failure(of: origin.url())

    #expect(answer["transfer-encoding"] == "chunked")
    #expect(answer.text == "3\r\nabc\r\n")
    #expect(error?.code == .protocolError)
  }

  @Test(arguments: ["Content-Length: 1\r\n", "Transfer-Encoding: chunked\r\n"])
  func `does not frame the response by an interim one`(line: String) async throws {
    let origin = try HostileOrigin(
      "HTTP/1.1 103 Early Hints\r\n\(line)\r\n\(Self.ok)Connection: close\r\n\r\nabc")

    let error = try await FetcherFixture().failure(of: origin.url())

    #expect(error?.code == .protocolError)
  }

  @Test func `that compresses twice is decoded where the fetch requested compression`() async throws
  {
    let once = try await Self.gzip(Array("twice".utf8))
    let twice = try await Self.gzip(once)
    let head = "\(Self.ok)Content-Encoding: gzip, gzip\r\nContent-Length: \(twice.count)\r\n\r\n"
    let origin = try HostileOrigin(Array(head.utf8) + twice)

    let body = try await FetcherFixture().fetch(origin.url()) { $0.acceptsCompression = true }
      .body.text
    let answer = try await origin.proxied()[0]

    #expect(body == "twice")
    #expect(answer.status == 200)
    #expect(answer["content-encoding"] == "gzip, gzip")
    #expect(answer.body == twice)
  }

  @Test(.needsProgram) func `has no head accepted from which two lengths can be read`() throws {
    let names = ["Content-Length", "content-length", "Transfer-Encoding", "X", ""]
    let separators = [":", ": ", " :", ":\t", ""]
    let values = ["3", "4", ", ", "chunked", "gzip", " ", "\r\n ", "\r", "\n", "\u{e9}"]
    var random = SplitMix64(seed: 14)
    var acceptedCount = 0

    for _ in 0..<20_000 {
      var head = Self.ok
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        head += (names.randomElement(using: &random) ?? "")
        head += (separators.randomElement(using: &random) ?? "")
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          head += (values.randomElement(using: &random) ?? "")
        }
        head += "\r\n"
      }
      let bytes = Array((head + "\r\n").utf8)
      guard bytes.withUnsafeBufferPointer({ HeadCheck.fault(in: $0) }) == nil else { continue }
      acceptedCount += 1
      let fields = HeadParser.fields(of: bytes)
      let lengths = fields[values: .contentLength]
      #expect(lengths.allSatisfy { $0.allSatisfy(\.isWholeNumber) })
      #expect(lengths.count <= 1)
      #expect(fields[values: .transferEncoding].count <= 1)
      #expect(lengths.isEmpty || fields[.transferEncoding] == nil)
    }

    #expect(acceptedCount > 100)
  }

  static func gzip(_ bytes: [UInt8]) async throws -> [UInt8] {
    let scratch = try Scratch()
    let program = try Tool(path: "gzip").start(["-c"], input: bytes, writingTo: scratch)
    #expect(try await program.end() == 0)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch / "output")))
  }
}
