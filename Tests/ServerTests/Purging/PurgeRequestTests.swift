import DiskCaching
import ImageFeeds
import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `The body of a purge request` {
  private func request(_ body: String) throws(Problem) -> PurgeRequest {
    try PurgeRequest(body: Array(body.utf8))
  }

  @Test func `may have three lists`() throws {
    let request = try request(
      #"{"urls":["http://a/1","http://a/2"],"days":["20260901"],"tags":["news"]}"#)

    #expect(request.purge.urls == ["http://a/1", "http://a/2"])
    #expect(request.days == [try #require(DayKey("20260901"))])
    #expect(request.purge.tags == [try #require(CacheTag("news"))])
  }

  @Test func `may leave each list out`() throws {
    #expect(try request("{}") == PurgeRequest(body: Array(#"{"urls":[],"days":[]}"#.utf8)))
    #expect(try request(#"{"tags":["a"]}"#).purge.urls.isEmpty)
  }

  @Test(arguments: [
    "", "[]", "null", "{", "{\"urls\":\"a\"}", "{\"urls\":[1]}", "{\"urls\":null}",
    "{\"urls\":[null]}", "{\"all\":true}", "{} {}",
  ])
  func `is an object of lists of strings`(body: String) {
    let problem = #expect(throws: Problem.self) { try request(body) }

    #expect(
      problem
        == Problem(.badRequest, "bad_body", "The body is not an object of lists of strings."))
  }

  @Test(arguments: ["url", "URLs", "", "tag"])
  func `has no misspelled list, even an empty one`(name: String) {
    let problem = #expect(throws: Problem.self) { try request("{\"\(name)\":[],\"urls\":[\"u\"]}") }

    #expect(
      problem
        == Problem(
          .badRequest, "bad_body", "The body has members other than urls, days and tags."))
  }

  @Test(arguments: ["", "2026-09-01", "20260931", "today", "0020260901", "2026901", " 20260901"])
  func `names days of the calendar`(day: String) {
    let problem = #expect(throws: Problem.self) { try request("{\"days\":[\"\(day)\"]}") }

    #expect(problem == Problem(.badRequest, "bad_day", "A day is written YYYYMMDD."))
  }

  @Test(arguments: ["", "a b", "a,b", "é", "\\t", "\\u007f"])
  func `names tags without separators`(tag: String) {
    let problem = #expect(throws: Problem.self) { try request("{\"tags\":[\"ok\",\"\(tag)\"]}") }

    #expect(
      problem
        == Problem(.badRequest, "bad_tag", "A tag is visible ASCII without spaces and commas."))
  }
}
