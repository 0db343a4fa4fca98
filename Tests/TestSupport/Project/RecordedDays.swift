import Foundation
import Testing

/// Counts the images of a recorded response with another parser and independent code.
enum RecordedDays {
  static var names: [String] { (try? SharedFixtures.files(in: "zhihu/api/days")) ?? [] }
  static var edgeNames: [String] { (try? SharedFixtures.files(in: "zhihu/api/edge")) ?? [] }
  static var detailNames: [String] { (try? SharedFixtures.files(in: "zhihu/api/detail")) ?? [] }

  /// The distinct image URLs of stories and top stories.
  static func imageURLs(in bytes: [UInt8]) throws -> Set<String> {
    let json = try #require(
      try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    var urls: Set<String> = []
    for list in ["stories", "news", "top_stories"] {
      for story in json[list] as? [[String: Any]] ?? [] {
        urls.formUnion(story["images"] as? [String] ?? [])
        if let url = story["image"] as? String { urls.insert(url) }
      }
    }
    return urls
  }
}
