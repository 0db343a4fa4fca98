import ImageFeeds
import TextEncodings

/// The JSON of the sample origin, in the form of the API since 2019.
struct SampleAnswers: Sendable {
  let origin: String

  /// A day's list; only the newest one has top stories.
  func day(_ day: SampleDay, withTopStories: Bool) -> [UInt8] {
    let list: JSONLine = [
      "date": day.day.description, "stories": (0..<day.storyCount).map { story(day, $0, .listed) },
      "top_stories": withTopStories ? day.topStories.map { story($0.day, $0.number, .top) } : nil,
    ]
    return Array(list.description.utf8)
  }

  func emptyDay(_ day: DayKey) -> [UInt8] {
    Array(#"{"date":"\#(day)","stories":[]}"#.utf8)
  }

  func page(_ day: SampleDay, _ number: Int) -> [UInt8] {
    Array(story(day, number, .page).description.utf8)
  }

  static let notFound = Array(#"{"status":1,"error_msg":"not found"}"#.utf8)

  private enum Form { case listed, top, page }

  private func story(_ day: SampleDay, _ number: Int, _ form: Form) -> JSONLine {
    let (listed, top) = (day.listImage(number), day.topImage(number))
    let url = "\(origin)/story/\(day.id(number))"
    let text = SampleText(origin: origin, day: day, number: number)
    return [
      "body": form == .page && !day.isExternal(number) ? text.html : nil,
      "ga_prefix": day.publicationPrefix, "hint": day.hint(number), "id": day.id(number),
      "image": form == .listed ? nil : origin + top.path,
      "image_source": form == .page ? "样例 / CC0" : nil,
      "image_hue": (form == .top ? top : listed)?.hue ?? "",
      "images": form == .top ? nil : listed.map { [origin + $0.path] },
      "share_url": form == .page ? url : nil, "title": day.title(number),
      "type": day.isExternal(number) ? 1 : 0, "url": url,
    ]
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
