import Foundation
import Testing

/// The project's external material (recorded days, conformance suites), outside the repository.
///
/// `IMGCACHE_FIXTURES` names the folder. Where it is set, a missing file is a failure; where it is
/// not, the suites that need it are reported as skipped: `@Suite(.needsFixtures)`.
enum SharedFixtures {
  static let root: String? = ProcessInfo.processInfo.environment["IMGCACHE_FIXTURES"].map {
    URL(fileURLWithPath: $0, relativeTo: packageRoot).path
  }

  static var areAvailable: Bool { root != nil }

  /// The root of this package, wherever the tests run from.
  static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func path(_ relative: String) -> String { (root ?? "/nonexistent") + "/" + relative }

  static func bytes(_ relative: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(relative))))
  }

  static func files(in relative: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(relative)).sorted()
  }
}

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
