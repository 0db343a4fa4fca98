import Foundation

@testable import ImageCodecs
@testable import ImageFeeds
@testable import SampleFeed

/// An origin with small images of one color each, and feeds that a test writes.
final class FeedOrigin: Sendable {
  let origin: FaultyOrigin

  /// Starts with images `/NAME.png`, fresh for an hour.
  init(images names: [String]) throws {
    origin = try FaultyOrigin()
    for name in names {
      origin["/\(name).png"] = [
        .whole(try Self.image(name), fields: ["Cache-Control: max-age=3600"])
      ]
    }
  }

  /// The color of an image, derived from its name.
  static func color(_ name: String) -> [UInt8] {
    let sum = name.utf8.reduce(7) { ($0 &* 31) &+ Int($1) }
    return [UInt8(sum & 0xFF), UInt8((sum >> 3) & 0xFF), 99, 255]
  }

  static func image(_ name: String) throws -> [UInt8] {
    try ImageCodecs.encodePNG(SampleImages.flat(8, 8, color(name)))
  }

  func url(_ path: String) -> String { origin.url(path) }
  func image(_ name: String) -> String { url("/\(name).png") }
  func stop() { origin.stop() }

  var imageRequests: [String] { origin.requests.map(\.path).filter { $0.hasSuffix(".png") } }

  var requestCount: Int { origin.requests.count }

  /// The value of a field of the last request for a path.
  func field(_ name: String, ofLast path: String) -> String? {
    origin.requests.last { $0.path == path }?[name]
  }

  /// Publishes a list of images, all of one item of 17 June 2020; returns its URL.
  ///
  /// Dated, so that no test depends on the day on which it runs.
  func list(_ path: String, _ names: [String]) -> String {
    let images = names.map { "<enclosure type=\"image/png\" url=\"\(image($0))\"/>" }.joined()
    let item = "<item><guid>list</guid><pubDate>2020-06-17</pubDate>\(images)</item>"
    origin[path] = [.whole(Array("<rss><channel>\(item)</channel></rss>".utf8))]
    return url(path)
  }

  /// Publishes an RSS feed, an item an image; returns its URL.
  ///
  /// - Parameter items: Names of images and, where not empty, dates `YYYY-MM-DD`; the title is the
  ///   name.
  func rss(_ path: String, _ items: [(name: String, date: String)]) -> String {
    let text = items.map { name, date in
      "<item><guid>\(name)</guid><title>title of \(name)</title>"
        + (date.isEmpty ? "" : "<pubDate>\(date)</pubDate>")
        + "<description>&lt;p&gt;text of \(name) &lt;img src=\"\(image(name))\"&gt;</description></item>"
    }.joined()
    origin[path] = [.whole(Array("<rss><channel>\(text)</channel></rss>".utf8))]
    return url(path)
  }
}
