import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `The body of a purge request` {
  private func request(_ body: String) throws(Problem) -> PurgeRequest {
    try PurgeRequest(body: Array(body.utf8), lists: ["urls", "days", "tags"])
  }

  @Test(arguments: [
    "", "[]", "null", "{", "{\"urls\":\"a\"}", "{\"urls\":[1]}", "{\"urls\":null}",
    "{\"urls\":[null]}", "{\"all\":true}", "{\"soft\":true}", "{} {}",
  ])
  func `is an object of lists of strings`(body: String) {
    let problem = #expect(throws: Problem.self) { try request(body) }

    #expect(
      problem == Problem(.badRequest, "bad_body", "The body is not an object of lists of strings."))
  }

  @Test func `names days of the calendar and tags without separators`() {
    for day in ["", "2026-09-01", "20260931", "today", "0020260901", "2026901", " 20260901"] {
      let problem = #expect(throws: Problem.self) { try PurgeRoutes.day(day) }
      #expect(problem == Problem(.badRequest, "bad_day", "A day is written YYYYMMDD."))
    }
    for tag in ["", "a b", "a,b", "é", "\t", "\u{7f}"] {
      let problem = #expect(throws: Problem.self) { try PurgeRequest.tag(tag) }
      #expect(
        problem
          == Problem(.badRequest, "bad_tag", "A tag is visible ASCII without spaces and commas."))
    }
  }
}
