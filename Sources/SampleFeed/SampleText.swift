/// The text of a sample story as HTML, with images in all the forms that real texts have.
struct SampleText: Sendable {
  let origin: String
  let day: SampleDay
  let number: Int

  /// The images in the text, in order, each once.
  var pictures: [SamplePicture] {
    let first = SamplePicture(.photo, day: day.day, number: number * 2)
    let second = SamplePicture(.photo, day: day.day, number: number * 2 + 1)
    let extra = SamplePicture(
      number.isMultiple(of: 2) ? .cutout : .film, day: day.day, number: number)
    return [Self.avatar, first, second, extra]
  }

  /// The same for every author: it must be fetched once for all texts.
  private static let avatar = SamplePicture(.avatar, day: .firstOfZhihuDaily, number: 0)

  /// The text of the page: lazily loaded images, a tracker, and an image that is shown twice.
  var html: String {
    let urls = pictures.map { origin + $0.path }
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
