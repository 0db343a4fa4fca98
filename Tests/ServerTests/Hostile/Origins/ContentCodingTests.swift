import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

@Suite struct `A Content-Encoding` {
  static let none = [
    "UTF-8", "utf8", "aws-chunked", "binary", "null", "none", "identity", "", "8bit", "image/jpeg",
    "aws-chunked, aws-chunked", "UTF-8,", "gzip2", "x", "gzip, aws-chunked", "aws-chunked,gzip",
  ]

  @Test(arguments: none)
  func `that is not a coding is ignored, for images and for documents`(value: String) async throws {
    let body = Array("an ordinary body".utf8)
    let origin = try FaultyOrigin(["/": [.whole(body, fields: ["Content-Encoding: \(value)"])]])
    let fixture = try FetcherFixture()

    let image = try await fixture.fetch(origin.url("/"))
    let document = try await fixture.fetch(origin.url("/")) { $0.acceptsCompression = true }

    #expect(try image.body.bytes() == body)
    #expect(try document.body.bytes() == body)
  }

  @Test(arguments: ["UTF-8", "aws-chunked", "binary", "null"])
  func `that is not a coding does not keep a server from an image`(value: String) async throws {
    let picture = SampleImages.widePhoto
    let server = try await ServerFixture([
      "/a.jpg": [.whole(picture, fields: ["Content-Encoding: \(value)"])]
    ])

    let image = try await server.get(server.image("/a.jpg"))
    let thumbnail = try await server.get(server.thumb("/a.jpg"))

    #expect(image.status == 200)
    #expect(image.body == picture)
    #expect(image["content-encoding"] == nil)
    #expect(thumbnail.status == 200)
  }

  @Test(arguments: ["gzip", "x-gzip", "GZip", " gzip ", "identity, gzip"])
  func `that is one is undone`(value: String) async throws {
    let body = Array("a body".utf8)
    let zipped = try await `An origin with an ambiguous length`.gzip(body)
    let origin = try FaultyOrigin(["/": [.whole(zipped, fields: ["Content-Encoding: \(value)"])]])

    let response = try await FetcherFixture().fetch(origin.url("/"))

    #expect(try response.body.bytes() == body)
  }

  @Test(arguments: [
    "compress", "x-compress", "exi", "dcb", "gzip", "identity, gzip", "gzip, compress",
  ])
  func `that cannot be undone is refused`(value: String) async throws {
    let origin = try FaultyOrigin([
      "/": [.text("an ordinary body", fields: ["Content-Encoding: \(value)"])]
    ])

    let error = try await FetcherFixture().failure(of: origin.url("/"))

    #expect(error?.code == .protocolError)
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

    for _ in 0..<3 {
      #expect(try await fixture.fetch(origin.url("/")).body.bytes() == body)
    }
  }
}
