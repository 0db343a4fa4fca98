import ImageFeeds
import TextEncodings

/// The JSON of the sample origin, in the form of the API since 2019.
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
        let image = place.day.topImage(place.number)
        top.images = nil
        top.image = origin + image.path
        top.image_hue = image.hue
        return top
      }
    }
    return encoded(list)
  }

  func emptyDay(_ day: DayKey) -> [UInt8] { encoded(List(date: day.description)) }

  func page(_ day: SampleDay, _ number: Int) -> [UInt8] {
    var page = story(day, number)
    page.image = origin + day.topImage(number).path
    page.share_url = page.url
    if !day.isExternal(number) {
      page.body = SampleText(origin: origin, day: day, number: number).html
    }
    return encoded(page)
  }

  /// The response of the API to an unknown path.
  static let notFound = Array(#"{"status":1,"error_msg":"not found"}"#.utf8)

  private func story(_ day: SampleDay, _ number: Int) -> Story {
    let image = day.listImage(number)
    return Story(
      id: day.id(number), title: day.title(number), hint: day.hint(number),
      url: "\(origin)/story/\(day.id(number))", ga_prefix: day.publicationPrefix,
      type: day.isExternal(number) ? 1 : 0, image_hue: image?.hue ?? "",
      images: image.map { [origin + $0.path] })
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

/// The text of a sample story as HTML, with images in all the forms that real texts have.
struct SampleText: Sendable {
  let origin: String
  let day: SampleDay
  let number: Int

  var images: [SampleImage] {
    let first = SampleImage(.photo, day: day.day, number: number * 2)
    let second = SampleImage(.photo, day: day.day, number: number * 2 + 1)
    let extra = SampleImage(
      number.isMultiple(of: 2) ? .cutout : .film, day: day.day, number: number)
    return [Self.avatar, first, second, extra]
  }

  /// The same for every author: it must be fetched once for all texts.
  private static let avatar = SampleImage(.avatar, day: .firstOfZhihuDaily, number: 0)

  /// The text of the page: lazily loaded images, a tracker, and an image that is shown twice.
  var html: String {
    let urls = images.map { origin + $0.path }
    return """
      <div class="main-wrap content-wrap"><div class="content-inner"><div class="question">
      <h2 class="question-title">\(day.title(number))</h2><div class="answer"><div class="meta">
      <img class="avatar" src="\(urls[0])"><span class="author">\(day.hint(number))</span></div>
      <div class="content"><p>这是一篇样例。</p>
      <p><img class="content-image" src="\(urls[1])" alt=""></p>
      <p><img class="content-image" src="data:image/svg+xml;utf8,&lt;svg/&gt;" data-original="\(urls[2])"></p>
      <p><img class="content-image" src="image/svg+xml;utf8,x" data-actualsrc="\(urls[3])"></p>
      <p><img class="content-image" src="\(urls[1])" alt="again"></p>
      <img src="https://sugar.zhihu.com/track?vs=1&amp;at=impression" width="1" height="1">
      </div></div></div></div></div>
      """
  }
}
