import ImageFeeds

/// The stories of a sample day, in the present form of Zhihu Daily, made up from the date alone.
struct SampleDay: Sendable {
  let day: DayKey

  static func story(withID id: Int) -> (day: SampleDay, number: Int)? {
    let day = SampleDay(day: DayKey(ordinal: id / 10))
    guard id % 10 < day.storyCount, day.day >= .firstOfZhihuDaily else { return nil }
    return (day, id % 10)
  }

  var storyCount: Int { 6 + day.ordinal % 3 }

  func id(_ number: Int) -> Int { day.ordinal * 10 + number }

  /// The image in the list; one story of each day has none, one has a PNG, one an animated GIF.
  func listImage(_ number: Int) -> SampleImage? {
    switch number {
    case 2: SampleImage(.drawing, day: day, number: number)
    case 3: SampleImage(.loop, day: day, number: number)
    case 4: nil
    default: SampleImage(.thumb, day: day, number: number)
    }
  }

  func isExternal(_ number: Int) -> Bool { number == 5 }

  /// The five top stories: two of the day, two of the day before and one of the day before that, so
  /// that neighbouring days have three in common.
  var topStories: [(day: SampleDay, number: Int)] {
    let before = SampleDay(day: day.previous)
    let earlier = SampleDay(day: day.previous.previous)
    return [(self, 0), (self, 1), (before, 0), (before, 1), (earlier, 0)]
  }

  func topImage(_ number: Int) -> SampleImage { SampleImage(.top, day: day, number: number) }

  /// The title; the one of the first story on Mondays has a line break in it, as real ones do.
  func title(_ number: Int) -> String {
    let title = Self.titles[(day.ordinal * 5 + number * 7) % Self.titles.count]
    return number == 0 && day.ordinal % 7 == 4 ? "本周画册\r\n\(title)" : title
  }

  func hint(_ number: Int) -> String {
    let author = Self.authors[(day.ordinal + number) % Self.authors.count]
    return "\(author) · \(1 + (day.ordinal + number) % 5) 分钟阅读"
  }

  /// The hour of publication: `MMDDHH`.
  var publicationPrefix: String { day.description.suffix(4) + "07" }

  private static let authors = ["样例甲", "样例乙", "样例丙", "样例丁"]

  private static let titles = [
    "山为什么远看是蓝色的？", "一盏灯能照多远？", "怎样画一条安静的地平线？", "云从哪里来？",
    "夜里的海有几种颜色？", "太阳落山要多少步？", "雾是低处的云吗？", "风把影子带去了哪里？",
    "为什么清晨比傍晚更蓝？", "月亮为什么不眨眼？", "石头也会做梦吗？", "一张图有多重？",
    "怎样数清一片树林？", "雪落下来有声音吗？", "路的尽头是什么？",
  ]
}
