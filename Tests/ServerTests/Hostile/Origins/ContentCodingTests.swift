import Testing

@testable import ThumbnailServer
@testable import TestSupport

@Suite struct `A Content-Encoding` {
  private static let none = [
    "UTF-8", "utf8", "aws-chunked", "binary", "null", "none", "identity", "", "8bit", "image/jpeg",
    "aws-chunked, aws-chunked", "UTF-8,", "gzip2", "x", "gzip, aws-chunked", "aws-chunked,gzip",
  ]
  private static let refused = [
    "compress", "x-compress", "exi", "dcb", "gzip", "identity, gzip", "gzip, compress",
  ]

  private static func origin(_ body: [UInt8], _ coding: String) throws -> FaultyOrigin {
    try FaultyOrigin(["/": [.whole(body, fields: ["Content-Encoding: \(coding)"])]])
  }

  @Test func `that is not a coding is ignored, and one that cannot be undone refused`() async throws
  {
    let (body, fixture) = (Array("an ordinary body".utf8), try FetcherFixture())
    for value in Self.none {
      let origin = try Self.origin(body, value)
      let image = try await fixture.fetch(origin.url("/"))
      let document = try await fixture.fetch(origin.url("/")) { $0.acceptsCompression = true }
      #expect(try image.body.bytes() == body && document.body.bytes() == body, "\(value)")
    }
    for value in Self.refused {
      let origin = try Self.origin(body, value)
      #expect(await fixture.failure(of: origin.url("/"))?.code == .protocolError, "\(value)")
    }
  }

  @Test(arguments: ["UTF-8", "aws-chunked"])
  func `that is not a coding does not keep a server from an image`(value: String) async throws {
    let picture = SampleImages.widePhoto
    let server = try await ServerFixture([
      "/a.jpg": [.whole(picture, fields: ["Content-Encoding: \(value)"])]
    ])

    let image = try await server.get(server.image("/a.jpg"))

    #expect(image.status == 200 && image.body == picture)
    #expect(image["content-encoding"] == nil)
    #expect(try await server.get(server.thumb("/a.jpg")).status == 200)
  }

  @Test func `that is one is undone`() async throws {
    let body = Array("a body".utf8)
    let zipped = try await `An origin with an ambiguous length`.gzip(body)
    for value in ["gzip", "x-gzip", "GZip", " gzip ", "identity, gzip"] {
      let origin = try Self.origin(zipped, value)
      let response = try await FetcherFixture().fetch(origin.url("/"))
      #expect(try response.body.bytes() == body, "\(value)")
    }
  }

  @Test func `of an earlier transfer does not count for the next one`() async throws {
    let body = Array("a body".utf8)
    let zipped = try await `An origin with an ambiguous length`.gzip(body)
    let origin = try FaultyOrigin([
      "/": [
        .whole(body, fields: ["Content-Encoding: binary"]),
        .whole(zipped, fields: ["Content-Encoding: gzip"]), .whole(body),
      ]
    ])
    let fixture = try FetcherFixture()

    for _ in 0..<3 { #expect(try await fixture.fetch(origin.url("/")).body.bytes() == body) }
  }
}
