import ImageFeeds
import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The routes of the sample origin; a value without state.
struct SampleRoutes: Sendable {
  let today: DayKey
  let origin: String

  func answer(_ request: LoopbackRequest) -> LoopbackResponse {
    guard request.method == "GET" || request.method == "HEAD" else {
      return LoopbackResponse(status: 405, headers: [("Allow", "GET, HEAD")])
    }
    if let image = SampleImage(path: request.path), exists(image) {
      return self.image(image, request)
    }
    let parts = request.path.split(separator: "/").map(String.init)
    if parts.count >= 4, parts[0] == "api", let answer = api(Array(parts[2...])) {
      return json(answer.bytes, seconds: answer.seconds, request)
    }
    return LoopbackResponse(
      status: 404, headers: [("Content-Type", Self.jsonType)], body: SampleAnswers.notFound)
  }

  /// Returns the response of a route, such as `news/before/20160323`, and its lifetime.
  private func api(_ route: [String]) -> (bytes: [UInt8], seconds: Int)? {
    let answers = SampleAnswers(origin: origin)
    guard ["news", "stories", "story"].contains(route[0]) else { return nil }
    switch (route.count, route[1]) {
    case (2, "latest"): return (answers.day(SampleDay(day: today), withTopStories: true), 600)
    case (3, "before"):
      guard let after = DayKey(route[2]) else { return nil }
      let day = min(after.previous, today)
      guard day >= .firstOfZhihuDaily else { return (answers.emptyDay(day), 86_400) }
      return (answers.day(SampleDay(day: day), withTopStories: false), day == today ? 600 : 86_400)
    case (2, let id):
      guard let id = Int(id), let place = SampleDay.story(withID: id), place.day.day <= today else {
        return nil
      }
      return (answers.page(place.day, place.number), 86_400)
    default: return nil
    }
  }

  /// Whether a story or text of a day up to now shows the image; the day before the first has
  /// images of top stories as well.
  private func exists(_ image: SampleImage) -> Bool {
    image.day <= today && image.number >= 0 && image.number < 20
  }

  private func image(_ image: SampleImage, _ request: LoopbackRequest) -> LoopbackResponse {
    let tag = "\"sample-1-\(String(SplitMix64.seed(of: image.path), radix: 16))\""
    let modified = Self.httpDate(image.day)
    let known = request["if-none-match"]
    let isKnown = known == tag || (known == nil && request["if-modified-since"] == modified)
    var response = LoopbackResponse(
      status: 304, headers: [("ETag", tag), ("Cache-Control", Self.imageLifetime)])
    // An image that the client has is not drawn.
    if !isKnown {
      guard let bytes = try? image.bytes() else { return LoopbackResponse(status: 500) }
      response = .file(
        bytes, mediaType: image.format.mediaType, entityTag: tag,
        cacheControl: Self.imageLifetime, for: request)
    }
    response.headers.append(("Last-Modified", modified))
    return response
  }

  private func json(_ bytes: [UInt8], seconds: Int, _ request: LoopbackRequest) -> LoopbackResponse
  {
    let tag =
      "\"\(String(SplitMix64.seed(of: String(decoding: bytes, as: UTF8.self)), radix: 16))\""
    return .file(
      bytes, mediaType: Self.jsonType, entityTag: tag, cacheControl: "max-age=\(seconds)",
      for: request)
  }

  private static let jsonType = "application/json; charset=utf-8"
  private static let imageLifetime = "public, max-age=604800"

  /// Six in the morning of a day, UTC+8.
  private static func httpDate(_ day: DayKey) -> String {
    HTTPDate.format(day.start.addingTimeInterval(6 * 3600))
  }
}
