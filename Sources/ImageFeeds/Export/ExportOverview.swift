import ImageModel
import TextEncodings

struct ExportOverview {
  private struct Day {
    var day: DayKey
    var page: String
    var storyCount: Int
    var imageCount: Int
    var titles: [String]
    var cover: ExportIndex.Image?
  }

  private static let titleCount = 3

  private var days: [Day] = []

  /// Reads the days of an export, newest first, one index in memory at a time.
  init(of directory: String) {
    for day in ExportIndex.days(in: directory).reversed() {
      let folder = "\(directory)/\(day)"
      guard let index = ExportIndex(in: folder, day: day) else { continue }
      let titles = index.stories.lazy.compactMap(\.title).map(ExportDocument.line)
      let images = index.images.filter { $0.file != nil && $0.placeholder != true }
      days.append(
        Day(
          day: day, page: ExportPageFile.name(in: folder),
          storyCount: index.stories.count,
          imageCount: index.images.count,
          titles: Array(titles.filter { !$0.isEmpty }.prefix(Self.titleCount)),
          cover: images.first { !ExportDocument.isSmall($0) } ?? images.first))
    }
  }

  var isEmpty: Bool { days.isEmpty }

  /// Writes the pages again whose days before and after are others now.
  ///
  /// - Parameter overview: The name of the page of all days.
  func linkPages(in directory: String, overview: String) throws(ImageError) {
    for (number, day) in days.enumerated() {
      func page(_ number: Int) -> ExportNeighbors.Page? {
        days.indices.contains(number) ? (days[number].day, days[number].page) : nil
      }
      let neighbors = ExportNeighbors(previous: page(number + 1), next: page(number - 1))
      let path = "\(directory)/\(day.day)/\(day.page)"
      guard ExportFile.facts(path) != nil, !ExportPageFile.hasNeighbors(neighbors.head, path)
      else { continue }
      // What another export has just added is read, and what it adds later waits.
      let folder = try ExportFolder(directory, day: day.day, links: false)
      let html = ExportPage(folder.index, overview: overview, neighbors: neighbors).html
      _ = try ExportPageFile.write(html, in: folder.path)
      withExtendedLifetime(folder) {}
    }
  }

  var html: String {
    let words = ExportWords(titles: days.flatMap(\.titles))
    return ExportDocument.html(
      title: words.archive, count: words.count(days: days.count),
      main: days.enumerated().map { html(of: $1, words, isLazy: $0 >= 6) }.joined(separator: "\n"),
      words: words, hasViewer: false)
  }

  private func html(of day: Day, _ words: ExportWords, isLazy: Bool) -> String {
    let cover = day.cover.map {
      "<div class=\"cover\(ExportDocument.isSmall($0) ? " small" : "")\">"
        + ExportDocument.image(
          $0, in: "\(day.day)/", alt: "", sizes: "(max-width: 620px) 100vw, 380px", isLazy: isLazy)
        + "</div>"
    }
    let titles = day.titles.map {
      "<li\(ExportDocument.manners(of: $0, words: words))>\(HTMLText.escaped($0))</li>"
    }
    let list = titles.isEmpty ? "" : "<ul class=\"titles\">\(titles.joined())</ul>"
    return """
      <article class="day">
      \(cover ?? "")
      <div class="words">
      <h2><a href="\(day.day)/\(day.page)">\(words.date(day.day))</a></h2>
      <p class="by">\(words.count(stories: day.storyCount, images: day.imageCount))</p>
      \(list)
      </div>
      </article>
      """
  }
}
