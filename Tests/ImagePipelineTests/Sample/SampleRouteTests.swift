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
    "/api/4/news/before", "/api/4/news/x", "/api/4/news/0", "/api/4/stories/-5", "/api/4/story/9",
    "/api/4/news/99999999999", "/api/4/stories/9223372036854775807", "/api/4/news/1e9",
    "/api/4/story/-9223372036854775808", "/api/4/news/9223372036854775808", "/api/4/news/",
    "/api/4/news/before/20200616/x", "/other/4/news/latest", "/api/4/news/before/x", "/",
    "/pictures/20200616/thumb-1.png", "/pictures/20200616/thumb-01.jpg",
    "/pictures/x/thumb-1.jpg", "/pictures/29990101/thumb-1.jpg", "/pictures/20200616/thumb--1.jpg",
    "/pictures/20200616/top-99.jpg",
  ])
  func `an unknown path is not found, as JSON`(path: String) throws {
    let response = try answer(path)

    #expect(response.status == 404)
    guard path.hasPrefix("/api") else { return }
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
    let tag = try #require(value("ETag", of: response))
    let again = try answer("/api/4/news/\(path)", "\r\nIf-None-Match: \(tag)")
    #expect(again.status == 304 && again.body.isEmpty)
  }

  @Test func `images have validators and a lifetime, until today and the last`() throws {
    let path = SampleImage(.thumb, day: routes.today, number: 0).path
    let whole = try answer(path)
    let modified = try #require(value("Last-Modified", of: whole))

    #expect(value("ETag", of: whole) != nil)
    #expect(value("Cache-Control", of: whole)?.contains("max-age") == true)
    #expect(try answer(path, "\r\nIf-Modified-Since: \(modified)").status == 304)
    #expect(try answer(path, "\r\nRange: bytes=100-199").body == Array(whole.body[100..<200]))
    let tomorrow = SampleDay(day: routes.today.next).topImage(0).path
    let beyond = SampleImage(.photo, day: routes.today, number: 20).path
    #expect(try [tomorrow, beyond].map { try answer($0).status } == [404, 404])
  }
}
