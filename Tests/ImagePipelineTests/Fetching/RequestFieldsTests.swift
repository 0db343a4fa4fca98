import HTTPTypes
import Testing

@testable import ImageFetching
@testable import ImageModel

@Suite struct `The fields of a request` {
  private let first = "https://example.org/a.jpg"

  private func lines(_ request: FetchRequest, to url: String) throws -> [String] {
    let fields = RequestFields(request: request)
    let target = try #require(WebURL(url))
    let source = try #require(WebURL(request.url))
    return fields.fields(for: target, first: source)
      .map { String(decoding: $0.line, as: UTF8.self) }
  }

  @Test(arguments: [
    "https://example.org/b.jpg", "https://cdn.example.org/a.jpg", "http://example.org/a.jpg",
    "https://example.org:8443/a.jpg",
  ])
  func `include credentials only for the origin of the first hop`(url: String) throws {
    var request = FetchRequest(url: first)
    request.headers = [
      .authorization: "Bearer t", .cookie: "a=1", .proxyAuthorization: "Basic x", .userAgent: "u",
    ]
    let isSameOrigin = url == "https://example.org/b.jpg"

    let lines = try lines(request, to: url)

    #expect(lines.contains("Authorization: Bearer t") == isSameOrigin)
    #expect(lines.contains("Cookie: a=1") == isSameOrigin)
    #expect(lines.contains("Proxy-Authorization: Basic x") == isSameOrigin)
    #expect(lines.contains("User-Agent: u"))
  }
}
