import Foundation
import HTTPCaching
import HTTPTypes
import Hummingbird
import ImageModel
import LoadScheduling
import NIOCore
import Testing

@testable import ThumbnailServer

/// Answers of the routes on their way to the client.
@Suite struct `An answer of the server` {
  /// Collects a body, piece by piece.
  private struct Collector: ResponseBodyWriter {
    let pieces = Locked<[[UInt8]]>([])
    let isFinished = Locked(false)

    mutating func write(_ buffer: ByteBuffer) async throws {
      pieces.withLock { $0.append(Array(buffer.readableBytesView)) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
      isFinished.withLock { $0 = true }
    }
  }

  private let executor: BlockingExecutor

  init() throws { executor = try BlockingExecutor(name: "answers", threadCount: 1) }

  private func request(_ method: HTTPRequest.Method, _ fields: HTTPFields = [:]) -> Request {
    Request(
      head: HTTPRequest(
        method: method, scheme: "http", authority: "a", path: "/", headerFields: fields),
      body: RequestBody(buffer: ByteBuffer()))
  }

  private func sent(_ answer: Answer) async throws -> (pieces: [[UInt8]], isFinished: Bool) {
    let collector = Collector()
    try await answer.response(isHead: false, executor: executor).body.write(collector)
    return (collector.pieces.withLock { $0 }, collector.isFinished.withLock { $0 })
  }

  // MARK: Pages

  @Test func `has a strong tag of its bytes alone`() throws {
    func tag(_ text: String, type: String = "text/html") -> String? {
      Answer.page(Array(text.utf8), type: type, for: request(.get)).fields[.eTag]
    }
    let tag1 = try #require(tag("a"))

    #expect(tag1.wholeMatch(of: /"[0-9a-f]{32}"/) != nil)
    #expect(tag1 == tag("a", type: "text/plain"))
    #expect(tag1 != tag("b"))
  }

  @Test(arguments: [HTTPRequest.Method.get, .head])
  func `is a 304 for a client that has the page`(method: HTTPRequest.Method) throws {
    let bytes = Array("page".utf8)
    let tag = try #require(Answer.page(bytes, type: "text/html", for: request(.get)).fields[.eTag])

    let answer = Answer.page(
      bytes, type: "text/html", for: request(method, [.ifNoneMatch: "\"0\", W/\(tag)"]))
    let response = answer.response(isHead: method == .head, executor: executor)

    #expect(response.status == .notModified)
    #expect(response.headers[.eTag] == tag)
    #expect(response.headers[.cacheControl] == "no-cache")
    #expect(response.headers[.contentType] == nil)
    #expect(response.headers[.age] == nil)
  }

  @Test func `is the whole page whatever range is requested`() async throws {
    let answer = Answer.page(
      Array("page".utf8), type: "text/html", for: request(.get, [.range: "bytes=0-0"]))

    #expect(answer.status == .ok)
    #expect(answer.fields[.contentRange] == nil)
    #expect(try await sent(answer).pieces == [Array("page".utf8)])
  }

  @Test func `has the page's own policy, else one that forbids everything`() {
    func policy(_ own: String?) -> String? {
      Answer.page([1], type: "text/html", for: request(.get), policy: own)
        .response(isHead: false, executor: executor).headers[.contentSecurityPolicy]
    }

    #expect(policy("default-src 'self'") == "default-src 'self'")
    #expect(policy(nil)?.hasPrefix("default-src 'none'") == true)
  }

  // MARK: Lengths

  @Test func `to HEAD has the length of its body and no body`() async throws {
    let response = Answer.text("four").response(isHead: true, executor: executor)
    let collector = Collector()
    try await response.body.write(collector)

    #expect(response.headers[.contentLength] == "4")
    #expect(collector.pieces.withLock { $0 }.isEmpty)
  }

  @Test(arguments: ["/", "/reader/reader.css", "/days"])
  func `of 304 to a page has no length of 0 on the wire`(target: String) async throws {
    let server = try await ServerFixture()
    let page = try await server.exchange("GET", target)
    let tag = try #require(page["etag"], "\(page)")

    for method in ["GET", "HEAD"] {
      let answer = try await server.exchange(method, target, ["If-None-Match: \(tag)"])

      #expect(answer.status == 304)
      #expect(answer["content-length"] == nil)
      #expect(answer["transfer-encoding"] == nil)
      #expect(answer["etag"] == tag)
    }
    try await server.stop()
  }

  @Test(arguments: [HTTPResponse.Status.ok, .notFound, .accepted])
  func `without a body has a length of 0`(status: HTTPResponse.Status) {
    let response = Answer(status: status).response(isHead: false, executor: executor)

    #expect(response.headers[.contentLength] == "0")
  }

  @Test func `without a body keeps a length of its own`() {
    let answer = Answer(fields: [.contentLength: "100"])

    #expect(
      answer.response(isHead: true, executor: executor).headers[.contentLength] == "100")
  }

  @Test func `of unknown length is in chunks, but not to HEAD`() async throws {
    let answer = Answer(
      body: .stream { writer in
        try await writer.write(ByteBuffer(string: "a"))
        try await writer.write(ByteBuffer(string: "b"))
      })

    let response = answer.response(isHead: false, executor: executor)
    #expect(response.headers[.transferEncoding] == "chunked")
    #expect(response.headers[.contentLength] == nil)
    let (pieces, isFinished) = try await sent(answer)
    #expect(pieces == [[0x61], [0x62]] && isFinished)
    let head = answer.response(isHead: true, executor: executor)
    #expect(head.headers[.transferEncoding] == nil)
    let collector = Collector()
    try await head.body.write(collector)
    #expect(collector.pieces.withLock { $0 }.isEmpty)
  }

  // MARK: Pieces

  @Test(arguments: [0, 1, 65_536, 65_537, 200_000])
  func `is written in pieces of 64 KiB, from memory and from a file`(count: Int) async throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let directory = TemporaryDirectory()
    try Data(bytes).write(to: URL(fileURLWithPath: directory.path("body")))
    let answers = [
      Answer(body: .bytes(ByteBuffer(bytes: bytes))),
      Answer(body: .file(path: directory.path("body"), ByteRangeParts(0..<count))),
    ]

    for answer in answers {
      let (pieces, isFinished) = try await sent(answer)
      #expect(Array(pieces.joined()) == bytes)
      #expect(pieces.allSatisfy { $0.count <= 65_536 })
      #expect(isFinished)
      #expect(
        answer.response(isHead: false, executor: executor).headers[.contentLength] == "\(count)")
    }
  }

  @Test(arguments: [true, false])
  func `of a file that is gone or too short is not finished`(isGone: Bool) async throws {
    let directory = TemporaryDirectory()
    let path = directory.path("body")
    if !isGone { try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path)) }
    let collector = Collector()
    let response = Answer(body: .file(path: path, ByteRangeParts(0..<10)))
      .response(isHead: false, executor: executor)

    let error = await #expect(throws: ImageError.self) { try await response.body.write(collector) }

    #expect(error?.code == .fileUnreadable)
    #expect(!collector.isFinished.withLock { $0 })
  }
}
