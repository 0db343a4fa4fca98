import ImageFeeds
import TextEncodings

/// The JSON of the sample origin, in the form that the API has since 2019.
struct SampleAnswers: Sendable {
  /// The origin of image and page URLs, for example `http://sample.invalid`.
  let origin: String

  /// A day's list; only the newest one has top stories.
  func day(_ day: SampleDay, withTopStories: Bool) -> [UInt8] {
    var list = List(date: day.day.description)
    list.stories = (0..<day.storyCount).map { story(day, $0) }
    if withTopStories {
      list.top_stories = day.topStories.map { place in
        var top = story(place.day, place.number)
        let picture = place.day.topPicture(place.number)
        top.images = nil
        top.image = origin + picture.path
        top.image_hue = picture.hue
        return top
      }
    }
    return encoded(list)
  }

  /// The list of a day without stories.
  func emptyDay(_ day: DayKey) -> [UInt8] { encoded(List(date: day.description)) }

  /// The page of a story.
  func page(_ day: SampleDay, _ number: Int) -> [UInt8] {
    var page = story(day, number)
    page.image = origin + day.topPicture(number).path
    page.share_url = page.url
    if !day.isExternal(number) {
      page.body = SampleText(origin: origin, day: day, number: number).html
    }
    return encoded(page)
  }

  /// The response of the API to an unknown path.
  static let notFound = Array(#"{"status":1,"error_msg":"not found"}"#.utf8)

  private func story(_ day: SampleDay, _ number: Int) -> Story {
    let picture = day.listPicture(number)
    return Story(
      id: day.id(number), title: day.title(number), hint: day.hint(number),
      url: "\(origin)/story/\(day.id(number))", ga_prefix: day.publicationPrefix,
      type: day.isExternal(number) ? 1 : 0, image_hue: picture?.hue ?? "",
      images: picture.map { [origin + $0.path] })
  }

  private func encoded(_ value: some Encodable) -> [UInt8] {
    // Strings and integers always encode.
    (try? JSONText.encoded(value)) ?? Self.notFound
  }

  private struct List: Encodable {
    var date: String
    var stories: [Story] = []
    var top_stories: [Story]?
  }

  private struct Story: Encodable {
    var id: Int
    var title: String
    var hint: String
    var url: String
    var ga_prefix: String
    var type: Int
    var image_hue: String
    var images: [String]?
    var image: String?
    var share_url: String?
    var body: String?
  }
}
