import Foundation
import ImageModel
import Testing

@testable import ImageFeeds
@testable import SampleFeed

/// Calls the routes of the sample origin directly, as the fetcher would over HTTP.
private struct DirectDocuments: DocumentLoading {
  let routes: SampleRoutes

  func document(at url: String, options: DocumentOptions) throws -> Document {
    let path = String(url.dropFirst("http://sample.invalid".count))
    let response = routes.answer(request(path))
    guard response.status == 200 else {
      throw ImageError(.httpStatus, "HTTP \(response.status)", status: response.status)
    }
    return Document(
      url: url, bytes: response.body, source: .network, fetchedAt: Date(timeIntervalSince1970: 0))
  }

  func keptDocument(named name: String) -> Document? { nil }

  func keep(_ document: Document, as name: String) {}
}

private func request(_ path: String, _ headers: String...) -> LoopbackRequest {
  let lines = ["GET \(path) HTTP/1.1", "Host: sample.invalid"] + headers
  // A line of our own can always be parsed.
  return LoopbackRequest(head: Array(lines.joined(separator: "\r\n").utf8))
    ?? LoopbackRequest(method: "GET", target: path, headers: [], body: [])
}

@Suite struct `The sample origin` {
  private let today = DayKey(ordinal: 20_458)
  private var routes: SampleRoutes { SampleRoutes(today: today, origin: "http://sample.invalid") }
  private var feed: ZhihuDaily {
    get throws {
      ZhihuDaily(
        bases: [try ZhihuBase("http://sample.invalid/api/4/")],
        documents: DirectDocuments(routes: routes), today: { [today] in today })
    }
  }

  private func body(_ url: String) -> [UInt8] {
    routes.answer(request(String(url.dropFirst("http://sample.invalid".count)))).body
  }

  @Test func `its newest day is today, with five top stories and a story without image`()
    async throws
  {
    let day = try await feed.day(.latest, policy: .http)

    #expect(day.day == today)
    #expect((6...8).contains(day.stories.count) && day.topStories.count == 5)
    #expect(day.storiesWithoutImages.count == 1)
    #expect(day.warnings.isEmpty)
    #expect(day.images.count == day.stories.count - 1 + 5)
  }

  @Test func `neighbouring days share three top stories`() async throws {
    let newest = try await feed.day(.latest, policy: .http)
    let before = SampleRoutes(today: today.previous, origin: "http://sample.invalid")
    let older = try ZhihuDailyDecoding.day(
      from: before.answer(request("/api/4/news/latest")).body, orElse: today)

    let shared = Set(newest.images.map(\.url)).intersection(older.images.map(\.url))

    #expect(shared.count == 3)
  }

  @Test func `there is a day for every date since the first`() async throws {
    for distance in [1, 2, 3, 400, today.ordinal - DayKey.firstOfZhihuDaily.ordinal] {
      let key = today.advanced(by: -distance)
      let day = try await feed.day(.day(key), policy: .http)
      #expect(day.day == key && day.stories.count >= 6 && day.topStories.isEmpty)
    }
  }

  @Test func `every image of a day is complete, of its format and its size`() async throws {
    var urls: Set<String> = []
    let day = try await feed.day(.latest, policy: .http)
    urls.formUnion(day.images.map(\.url))
    for story in day.stories.prefix(2) {
      urls.formUnion(try await feed.bodyImages(of: story, policy: .http).map(\.url))
    }
    var formats: Set<ImageFormat> = []
    var sizes: [SampleImage.Kind: [Int]] = [:]
    for url in urls {
      let path = String(url.dropFirst("http://sample.invalid".count))
      let picture = try #require(SampleImage(path: path))
      let bytes = body(url)
      formats.insert(picture.format)
      sizes[picture.kind, default: []].append(bytes.count)
      #expect(SampleHeader.size(of: bytes, picture.format) == picture.size)
    }

    #expect(formats == [.jpeg, .png, .gif])
    let medians = sizes.mapValues { $0.sorted()[$0.count / 2] }
    #expect((3000...9000).contains(medians[.thumb] ?? 0), "\(medians)")
    #expect((30_000...75_000).contains(medians[.top] ?? 0), "\(medians)")
  }

  @Test func `equal URLs give equal bytes, different ones do not`() throws {
    let picture = SampleImage(.thumb, day: today, number: 1)

    #expect(try picture.bytes() == picture.bytes())
    #expect(try picture.bytes() != SampleImage(.thumb, day: today, number: 2).bytes())
  }

  @Test func `the images of a page are those that a reader sees, and no counter`() async throws {
    let story = FeedStory(id: String(SampleDay(day: today).id(0)))

    let images = try await feed.bodyImages(of: story, policy: .http)

    let day = SampleDay(day: today)
    let expected = SampleText(origin: "", day: day, number: 0).images + [day.topImage(0)]
    #expect(images.map(\.url) == expected.map { "http://sample.invalid" + $0.path })
  }

  @Test func `an external article has no text`() async throws {
    let story = FeedStory(id: String(SampleDay(day: today).id(5)))

    #expect(try await feed.bodyImages(of: story, policy: .http).isEmpty)
  }

  @Test func `images carry validators and a lifetime, and give 304, 206 and 416`() throws {
    let path = SampleImage(.thumb, day: today, number: 0).path
    let whole = routes.answer(request(path))
    let tag = try #require(whole.headers.first { $0.name == "ETag" }?.value)
    let modified = try #require(whole.headers.first { $0.name == "Last-Modified" }?.value)

    #expect(whole.headers.contains { $0.name == "Cache-Control" && $0.value.contains("max-age") })
    #expect(routes.answer(request(path, "If-None-Match: \(tag)")).status == 304)
    #expect(routes.answer(request(path, "If-Modified-Since: \(modified)")).status == 304)
    let part = routes.answer(request(path, "Range: bytes=100-199", "If-Range: \(tag)"))
    #expect(part.status == 206 && part.body == Array(whole.body[100..<200]))
    #expect(routes.answer(request(path, "Range: bytes=9999999-")).status == 416)
  }

  @Test(arguments: [
    "/", "/pictures/20260105/thumb-1.png", "/pictures/20260105/thumb-01.jpg",
    "/pictures/x/thumb-1.jpg",
    "/pictures/29990101/thumb-1.jpg", "/pictures/20260105/thumb--1.jpg", "/api/4/news/1",
    "/api/4/news", "/api/4/news/before/x", "/pictures/20260105/top-99.jpg",
  ])
  func `an unknown path is 404`(path: String) {
    #expect(routes.answer(request(path)).status == 404)
  }

  @Test func `a future day gives today's list, as the real API does`() throws {
    let list = try ZhihuDailyDecoding.list(
      from: routes.answer(request("/api/4/news/before/29990101")).body)

    #expect(list.date == today)
  }

  @Test func `it listens on loopback and stops`() throws {
    let origin = try SampleOrigin(now: today.start)

    #expect(origin.port > 0)
    origin.stop()
  }
}

/// Reads the size in pixels from a header, independently of the library.
private enum SampleHeader {
  static func size(of bytes: [UInt8], _ format: ImageFormat) -> PixelSize? {
    func big(_ at: Int) -> Int { Int(bytes[at]) << 8 | Int(bytes[at + 1]) }
    switch format {
    case .png:
      guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
      return PixelSize(width: big(18), height: big(22))
    case .gif:
      guard bytes.starts(with: Array("GIF89a".utf8)) else { return nil }
      return PixelSize(
        width: Int(bytes[6]) | Int(bytes[7]) << 8, height: Int(bytes[8]) | Int(bytes[9]) << 8)
    default:
      guard bytes.starts(with: [0xFF, 0xD8]), bytes.suffix(2) == [0xFF, 0xD9] else { return nil }
      var at = 2
      while at + 9 < bytes.count, bytes[at] == 0xFF {
        if (0xC0...0xC2).contains(bytes[at + 1]) {
          return PixelSize(width: big(at + 7), height: big(at + 5))
        }
        at += 2 + big(at + 2)
      }
      return nil
    }
  }
}
