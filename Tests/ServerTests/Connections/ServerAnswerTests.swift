import DiskCaching
import Foundation
import HTTPCaching
import HTTPTypes
import ImageModel
import LoadScheduling
import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPListening
@testable import ThumbnailServer
@testable import TestSupport

/// Answers of the routes on their way to the client.
@Suite struct `An answer of the server` {
  /// A response as it is written.
  private struct Written {
    var status = 0
    var fields = HTTPHeaders()
    var pieces: [[UInt8]] = []
    var isFinished = false
  }

  private func request(_ method: HTTPRequest.Method, _ fields: HTTPFields = [:]) -> RoutedRequest {
    RoutedRequest(
      head: HTTPRequest(
        method: method, scheme: "http", authority: "a", path: "/", headerFields: fields),
      body: RequestBody {})
  }

  /// Writes an answer to a client.
  ///
  /// - Parameter failure: Gets the error with which it breaks off.
  private func written(
    _ answer: Answer, to method: HTTPMethod = .GET, failure: inout (any Error)?
  ) async -> Written {
    let (outbound, sink) =
      NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>.makeTestingWriter()
    let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/")
    do {
      try await answer.write(to: ResponseWriter(for: head) { try await outbound.write($0) })
    } catch {
      failure = error
    }
    outbound.finish()
    var written = Written()
    for await part in sink {
      switch part {
      case .head(let head): (written.status, written.fields) = (Int(head.status.code), head.headers)
      case .body(.byteBuffer(let bytes)): written.pieces.append(Array(bytes.readableBytesView))
      case .body: break
      case .end: written.isFinished = true
      }
    }
    return written
  }

  private func written(_ answer: Answer, to method: HTTPMethod = .GET) async throws -> Written {
    var failure: (any Error)?
    let written = await written(answer, to: method, failure: &failure)
    if let failure { throw failure }
    return written
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

  // MARK: Lengths

  @Test func `to HEAD has the length of its body and no body, and none is a length of 0`()
    async throws
  {
    let response = try await written(Answer.text("four"), to: .HEAD)
    let empty = try await written(Answer(status: .notFound))

    #expect(response.fields["content-length"] == ["4"])
    #expect(response.pieces.isEmpty && response.isFinished)
    #expect(empty.fields["content-length"] == ["0"])
  }

  @Test(arguments: ["/", "/reader/reader.css", "/days"])
  func `of 304 to a page has no length of 0 on the wire`(target: String) async throws {
    let server = try await ServerFixture()
    let page = try await server.get(target)
    let tag = try #require(page["etag"], "\(page)")

    for method in ["GET", "HEAD"] {
      let answer = try await server.exchange(method, target, ["If-None-Match: \(tag)"])

      #expect(answer.status == 304)
      #expect(answer["content-length"] == nil)
      #expect(answer["transfer-encoding"] == nil)
      #expect(answer["etag"] == tag)
    }
  }

  @Test func `of unknown length is in chunks, but not to HEAD`() async throws {
    let answer = Answer(
      body: .stream { write in
        try await write(ByteBuffer(string: "a"))
        try await write(ByteBuffer(string: "b"))
      })

    let response = try await written(answer)
    #expect(response.fields["transfer-encoding"] == ["chunked"])
    #expect(response.fields["content-length"].isEmpty)
    #expect(response.pieces == [[0x61], [0x62]] && response.isFinished)
    let head = try await written(answer, to: .HEAD)
    #expect(head.fields["transfer-encoding"].isEmpty && head.pieces.isEmpty && head.isFinished)
  }

  // MARK: Pieces

  private func file(in directory: TemporaryDirectory) throws -> BodyFile {
    try #require(BodyFile(path: directory.path("body")))
  }

  @Test(arguments: [0, 1, 65_536, 65_537, 200_000])
  func `is written in pieces of 64 KiB, from memory and from a file`(count: Int) async throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let directory = TemporaryDirectory()
    try Data(bytes).write(to: URL(fileURLWithPath: directory.path("body")))
    let answers = [
      Answer(body: .bytes(ByteBuffer(bytes: bytes))),
      Answer(body: .file(try file(in: directory), ByteRangeParts(0..<count))),
    ]

    for answer in answers {
      let response = try await written(answer)
      #expect(Array(response.pieces.joined()) == bytes)
      #expect(response.pieces.allSatisfy { $0.count <= 65_536 })
      #expect(response.isFinished)
      #expect(response.fields["content-length"] == ["\(count)"])
    }
  }

  @Test func `of a file that is too short is not finished`() async throws {
    let directory = TemporaryDirectory()
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: directory.path("body")))
    var failure: (any Error)?

    let response = await written(
      Answer(body: .file(try file(in: directory), ByteRangeParts(0..<10))), failure: &failure)

    #expect((failure as? ImageError)?.code == .fileUnreadable)
    #expect(!response.isFinished)
  }
}
