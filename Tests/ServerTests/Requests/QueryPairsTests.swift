import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `Queries` {
  @Test func `pairs are percent-decoded once, and a plus stays a plus`() throws {
    let query = try QueryPairs(
      target: "/thumb?url=http%3A%2F%2Fa.b%2Fc%2Bd+e%2525.jpg&w=1&empty=&bare")

    #expect(query.path == "/thumb")
    #expect(query["url"] == "http://a.b/c+d+e%25.jpg")
    #expect(query["w"] == "1")
    #expect(query["empty"] == "")
    #expect(query["bare"] == "")
    #expect(query["absent"] == nil)
  }

  @Test(arguments: [
    "/t?a=1&a=2", "/t?a=1&%61=2", "/t?a=%", "/t?a=%4", "/t?a=%zz", "/t?a=%00", "/t?a=%0d%0a",
    "/t?a=%ff", "/t?a=%c3%28", "/t?%7f=1", "/t?a=\u{1}",
  ])
  func `a malformed or repeated parameter, or one with control characters, is 400`(target: String) {
    #expect {
      try QueryPairs(target: target)
    } throws: {
      ($0 as? Problem)?.status == .badRequest
    }
  }

  @Test func `encoding leaves only unreserved characters, and uses upper-case hex`() {
    #expect(QueryPairs.encoded("AZaz09-._~ /?&=+%ü") == "AZaz09-._~%20%2F%3F%26%3D%2B%25%C3%BC")
  }
}
