import Foundation
import ImageFeeds
import ImageModel
import Testing

@testable import SampleFeed

@Suite struct `The routes of the sample` {
  private let routes: SampleRoutes

  init() throws {
    routes = SampleRoutes(today: try #require(DayKey("20200616")), origin: "http://s")
  }

  private func answer(
    _ path: String, method: String = "GET", _ headers: String = ""
  ) throws -> LoopbackResponse {
    let head = Array("\(method) \(path) HTTP/1.1\(headers)".utf8)
    return routes.answer(try #require(LoopbackRequest(head: head)))
  }

  private func value(_ name: String, of response: LoopbackResponse) -> String? {
    response.headers.first { $0.name == name }?.value
  }

  private func json(_ response: LoopbackResponse) throws -> [String: Any] {
    try #require(
      try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "get"])
  func `only GET and HEAD are allowed`(method: String) throws {
    let response = try answer("/api/4/news/latest", method: method)

    #expect(response.status == 405)
    #expect(value("Allow", of: response) == "GET, HEAD")
  }

  @Test(arguments: [
    "/api", "/api/4/other/latest", "/api/4/news/before/20201301",
    "/api/4/news/before", "/api/4/news/x", "/api/4/news/0", "/api/4/news/99999999999",
    "/api/4/news/before/20200616/x", "/other/4/news/latest",
  ])
  func `an unknown path is not found, as JSON`(path: String) throws {
    let response = try answer(path)

    #expect(response.status == 404)
    #expect(value("Content-Type", of: response) == "application/json; charset=utf-8")
    #expect(
      String(decoding: response.body, as: UTF8.self) == #"{"status":1,"error_msg":"not found"}"#)
  }

  @Test(arguments: [
    ("latest", "20200616", true, 600), ("before/20200617", "20200616", false, 600),
    ("before/20200616", "20200615", false, 86_400), ("before/20990101", "20200616", false, 600),
    ("before/20130520", "20130519", false, 86_400),
  ])
  func `a day before another has a lifetime, and only the latest has top stories`(
    path: String, date: String, hasTop: Bool, seconds: Int
  ) throws {
    let response = try answer("/api/4/news/\(path)")
    let list = try json(response)

    #expect(response.status == 200)
    #expect(value("Cache-Control", of: response) == "max-age=\(seconds)")
    #expect(list["date"] as? String == date)
    #expect((list["top_stories"] as? [Any])?.count == (hasTop ? 5 : nil))
    #expect((6...8).contains(try #require(list["stories"] as? [Any]).count))
  }

  @Test func `a day before the first of Zhihu Daily has no stories`() throws {
    let list = try json(try answer("/api/4/news/before/20130519"))

    #expect(list["date"] as? String == "20130518")
    #expect((list["stories"] as? [Any])?.isEmpty == true)
  }

  @Test func `a list that the client has is not sent again`() throws {
    let tag = try #require(value("ETag", of: try answer("/api/4/news/latest")))

    let response = try answer("/api/4/news/latest", "\r\nIf-None-Match: \(tag)")

    #expect(response.status == 304)
    #expect(response.body.isEmpty)
  }

  @Test func `the lists of two days have different validators`() throws {
    let tags = try ["20200616", "20200615"].map {
      try #require(value("ETag", of: try answer("/api/4/news/before/\($0)")))
    }

    #expect(tags[0] != tags[1])
  }

  @Test(arguments: [-1, 0, 1])
  func `a story exists from its day on`(distance: Int) throws {
    let day = SampleDay(day: routes.today.advanced(by: distance))

    let response = try answer("/api/4/news/\(day.id(0))")

    #expect(response.status == (distance <= 0 ? 200 : 404))
  }

  @Test(arguments: [(0, 1), (4, 0)])
  func `a story lists its image if it has one`(number: Int, count: Int) throws {
    let list = try json(try answer("/api/4/news/latest"))
    let stories = try #require(list["stories"] as? [[String: Any]])

    #expect(((stories[number]["images"] as? [String]) ?? []).count == count)
  }

  @Test func `an image of a later day, or a number beyond the last, is not found`() throws {
    let tomorrow = SampleDay(day: routes.today.next).topImage(0).path
    let beyond = SampleImage(.photo, day: routes.today, number: 20).path

    #expect(try answer(tomorrow).status == 404)
    #expect(try answer(beyond).status == 404)
  }
}
