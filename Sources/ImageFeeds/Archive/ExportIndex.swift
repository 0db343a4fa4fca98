#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ImageModel
import TextEncodings

/// The `index.json` of an exported day: the files of its images.
struct ExportIndex {
  struct Image: Codable {
    var file: String?
    var url: String
    var role: String
    var storyID: String
    var bytes: Int?
    var format: String?
    var width: Int?
    var height: Int?
    /// The digest of the file as it was placed, to detect changes.
    var sha256: String?
    var placeholder: Bool?
    var failed: Bool?

    enum CodingKeys: String, CodingKey {
      case file, url, role, bytes, format, width, height, sha256, placeholder, failed
      case storyID = "story_id"
    }
  }

  let day: String
  /// In the order they were added, later runs after earlier ones.
  private(set) var images: [Image] = []
  private var positions: [ExactString: Int] = [:]

  init(day: String) { self.day = day }

  /// Reads an index; `nil` if the bytes are not one.
  init?(_ bytes: [UInt8], day: String) {
    struct Text: Decodable { let images: [Image] }
    guard let text = try? JSONDecoder().decode(Text.self, from: Data(bytes)) else { return nil }
    self.day = day
    for image in text.images { self[image.url] = image }
  }

  subscript(url: String) -> Image? {
    get { positions[ExactString(url)].map { images[$0] } }
    set {
      guard let newValue else { return }
      if let position = positions[ExactString(url)] {
        images[position] = newValue
      } else {
        positions[ExactString(url)] = images.count
        images.append(newValue)
      }
    }
  }

  /// The JSON text, an image a line. A missing file is written as `null`.
  var text: [UInt8] {
    let lines = images.map { image in
      JSONLine(members: [
        ("file", image.file ?? JSONNull() as any TextEncodings.JSONValue), ("url", image.url),
        ("role", image.role), ("story_id", image.storyID), ("bytes", image.bytes),
        ("format", image.format), ("width", image.width), ("height", image.height),
        ("sha256", image.sha256), ("placeholder", image.placeholder), ("failed", image.failed),
      ]).description
    }
    return Array(
      "{\"day\":\"\(day)\",\"images\":[\n\(lines.joined(separator: ",\n"))\n]}\n".utf8)
  }
}
