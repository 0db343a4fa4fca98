import ImageModel

struct ZhihuStoryDecoding {
  let role: FeedImage.Role

  func stories(_ elements: [ParsedJSON], warnings: inout [String]) -> [FeedStory] {
    var stories: [FeedStory] = []
    for (position, element) in elements.enumerated() {
      if element.isObject {
        stories.append(story(element, position: position, warnings: &warnings))
      } else {
        warnings.append("entry \(position) of the list is not a story")
      }
    }
    return stories
  }

  /// - Parameter position: Replaces a missing identifier.
  func story(_ json: ParsedJSON, position: Int, warnings: inout [String]) -> FeedStory {
    var story = FeedStory(
      id: json["id"]?.identifier ?? "entry-\(position)", title: json["title"]?.text ?? "")
    story.url = json["url"]?.url
    story.shareURL = json["share_url"]?.url
    story.hint = json["hint"]?.text
    story.hue = json["image_hue"]?.text.flatMap(Self.hue)
    story.isMultipic = json["multipic"]?.isTrue ?? false
    story.kind = json["type"]?.wholeNumber ?? 0
    story.publicationPrefix = json["ga_prefix"]?.identifier.map(Self.stamp)
    story.images = images(json, of: story.id, warnings: &warnings)
    return story
  }

  /// Reads `images`, an array or a single string, else `image`; the reverse for top stories.
  private func images(_ json: ParsedJSON, of id: String, warnings: inout [String]) -> [FeedImage] {
    let fields = role == .topStory ? ["image", "images"] : ["images", "image"]
    for field in fields.compactMap({ json[$0] }) {
      var images: [FeedImage] = []
      for entry in field.elements ?? [field] {
        let url = entry.text ?? entry["url"]?.text ?? ""
        if WebURL(url) != nil, !Trackers.contains(url) {
          images.append(FeedImage(url: url, role: role, storyID: id, index: images.count))
        } else if entry != .string("") {
          let shown = String((entry.text ?? "an entry").prefix(60)).debugDescription
          warnings.append("story \(id) has an image that is not an http(s) URL: \(shown)")
        }
      }
      if !images.isEmpty { return images }
    }
    return []
  }

  /// `0xRRGGBB` or `#RRGGBB` as `rrggbb`.
  private static func hue(_ text: String) -> String? {
    let digits = text.lowercased().drop { $0 == "#" }
    let bare = digits.hasPrefix("0x") ? digits.dropFirst(2) : digits
    return bare.count == 6 && bare.allSatisfy(\.isHexDigit) ? String(bare) : nil
  }

  /// `MMDDHH`; a stamp that came as a number has lost its leading zero.
  private static func stamp(_ text: String) -> String { text.count == 5 ? "0" + text : text }
}
