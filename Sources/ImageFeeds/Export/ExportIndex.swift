#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ImageModel
import TextEncodings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The `index.json` of an exported day: the files of its images, and its stories.
struct ExportIndex {
  static let fileName = "index.json"
  /// Longer texts of stories are not kept, in bytes.
  static let maximumTextByteCount = 1 << 20
  private static let maximumTextsByteCount = 32 << 20

  struct Image: Codable {
    var file: String?
    var url: String
    var role: String
    var storyID: String
    var bytes: Int?
    var format: String?
    var width: Int?
    var height: Int?
    var sha256: String?
    var placeholder: Bool?
    var failed: Bool?
    var title: String?
    var author: String?
    var link: String?
    var date: String?
    var thumbnails: [Thumbnail]?

    enum CodingKeys: String, CodingKey {
      case file, url, role, bytes, format, width, height, sha256, placeholder, failed
      case title, author, link, date, thumbnails
      case storyID = "story_id"
    }
  }

  struct Thumbnail: Codable {
    var file: String
    var width: Int
    var height: Int
    var sha256: String
  }

  struct Story: Codable {
    var id: String
    var title: String?
    var author: String?
    var link: String?
    var date: String?
    /// The feed that named it.
    var feed: FeedReference?
    /// The text, sanitised, with the URLs of its images.
    var text: String?
    /// The URLs of its images, of which other stories may have some; default: those of the entries
    /// that name it.
    var images: [String]?

    /// The key that distinguishes stories: two feeds may use one identifier.
    var key: ExactString { ExactString("\(id)\n\(link ?? title ?? "")") }
  }

  let day: DayKey
  private(set) var images: [Image] = []
  private(set) var stories: [Story] = []
  private var positions: [ExactString: Int] = [:]
  private var storyPositions: [ExactString: Int] = [:]
  private var textsByteCount = 0

  init(day: DayKey) { self.day = day }

  /// Whether stories are of several feeds, so that each names its own.
  var namesFeeds: Bool { Set(stories.compactMap(\.feed?.url)).count > 1 }

  /// The days in a folder, oldest first: what is called like one, is a folder and has an index.
  static func days(in directory: String) -> [DayKey] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.compactMap { $0.utf8.count == 8 ? DayKey($0) : nil }.sorted().filter { day in
      let folder = ExportFile.facts("\(directory)/\(day)")
      return folder.map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
        && ExportFile.facts("\(directory)/\(day)/\(fileName)") != nil
    }
  }

  /// Reads the index of a folder; `nil` if there is none, or the file is something else.
  init?(in folder: String, day: DayKey) {
    struct Text: Decodable {
      let images: [Image]
      let stories: [Story]?
    }
    guard let bytes = ExportFile.read("\(folder)/\(Self.fileName)"),
      let text = try? JSONDecoder().decode(Text.self, from: Data(bytes))
    else { return nil }
    self.day = day
    for image in text.images { self[image.url] = image }
    for story in text.stories ?? [] { add(story) }
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

  /// Adds a story, or replaces the data of an earlier run; its text stays if there is no new one,
  /// and so do its images.
  mutating func add(_ story: Story) {
    var story = story
    let position = storyPositions[story.key]
    let former = position.flatMap { stories[$0].text }
    textsByteCount -= former?.utf8.count ?? 0
    let room = min(Self.maximumTextByteCount, Self.maximumTextsByteCount - textsByteCount)
    if let text = story.text, text.utf8.count > room { story.text = nil }
    story.text = story.text ?? former
    textsByteCount += story.text?.utf8.count ?? 0
    if let images = position.flatMap({ stories[$0].images }) {
      var seen = Set(images.map(ExactString.init))
      let added = (story.images ?? []).filter { seen.insert(ExactString($0)).inserted }
      story.images = images + added
    }
    if let position {
      stories[position] = story
    } else {
      storyPositions[story.key] = stories.count
      stories.append(story)
    }
  }

  /// The JSON text, an image or story a line. A missing file is written as `null`.
  var text: [UInt8] {
    let lines = images.map { image in
      JSONLine(members: [
        ("file", image.file ?? JSONNull() as any JSONValue), ("url", image.url),
        ("role", image.role), ("story_id", image.storyID), ("bytes", image.bytes),
        ("format", image.format), ("width", image.width), ("height", image.height),
        ("sha256", image.sha256), ("placeholder", image.placeholder), ("failed", image.failed),
        ("title", image.title), ("author", image.author), ("link", image.link),
        ("date", image.date),
        (
          "thumbnails",
          image.thumbnails?.map { thumbnail in
            JSONLine(members: [
              ("file", thumbnail.file), ("width", thumbnail.width), ("height", thumbnail.height),
              ("sha256", thumbnail.sha256),
            ])
          }
        ),
      ]).description
    }
    let storyLines = stories.map { story in
      JSONLine(members: [
        ("id", story.id), ("title", story.title), ("author", story.author), ("link", story.link),
        (
          "feed", story.feed.map { JSONLine(members: [("title", $0.title), ("url", $0.url)]) }
        ),
        ("date", story.date), ("text", story.text), ("images", story.images),
      ]).description
    }
    let stories =
      storyLines.isEmpty ? "" : ",\"stories\":[\n\(storyLines.joined(separator: ",\n"))\n]"
    return Array(
      "{\"day\":\"\(day)\",\"images\":[\n\(lines.joined(separator: ",\n"))\n]\(stories)}\n".utf8)
  }
}
