import Foundation
import ImageModel
import Testing

@testable import ImageCodecs
@testable import ImageFeeds
@testable import SampleFeed
@testable import TestSupport

@Suite struct `The sample origin` {
  private let today = DayKey(ordinal: 20_458)
  private let origin = "http://sample.invalid"

  private func body(_ path: String) throws -> [UInt8] {
    let request = try #require(LoopbackRequest(head: Array("GET \(path) HTTP/1.1".utf8)))
    return SampleRoutes(today: today, origin: origin).answer(request).body
  }

  private var feed: ZhihuDaily {
    get throws {
      let day = SampleDay(day: today)
      let paths = ["latest"] + (0..<day.storyCount).map { String(day.id($0)) }
      let answers = try paths.map { path in
        let route = "/api/4/news/" + path
        return (origin + route, String(decoding: try body(route), as: UTF8.self))
      }
      return ZhihuDaily(
        bases: [try ZhihuBase(origin + "/api/4/")],
        documents: StubDocuments(Dictionary(uniqueKeysWithValues: answers)),
        today: { [today] in today })
    }
  }

  @Test func `every image of a day is complete, of its format and its size`() async throws {
    let feed = try feed
    let day = try await feed.day(.latest, policy: .http)
    var urls = Set(day.images.map(\.url))
    for story in day.stories.prefix(2) {
      urls.formUnion(try await feed.bodyImages(of: story, policy: .http).map(\.url))
    }
    var formats: Set<ImageFormat> = []
    var sizes: [SampleImage.Kind: [Int]] = [:]
    for url in urls {
      let path = String(url.dropFirst(origin.count))
      let picture = try #require(SampleImage(path: path))
      let bytes = try body(path)
      formats.insert(picture.format)
      sizes[picture.kind, default: []].append(bytes.count)
      let info = try ImageCodecs.check(bytes.span.bytes, level: .decode).info
      #expect(info.format == picture.format && info.size == picture.size)
    }

    #expect(formats == [.jpeg, .png, .gif])
    let medians = sizes.mapValues { $0.sorted()[$0.count / 2] }
    #expect((3000...9000).contains(medians[.thumb] ?? 0), "\(medians)")
    #expect((30_000...75_000).contains(medians[.top] ?? 0), "\(medians)")
  }
}
