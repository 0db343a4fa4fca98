import ImageModel
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for day in names.compactMap({ $0.utf8.count == 8 ? DayKey($0) : nil }).sorted(by: >) {
      let folder = "\(directory)/\(day)"
      guard let facts = ExportFile.facts(folder), facts.st_mode & S_IFMT == S_IFDIR,
        let index = ExportIndex(in: folder, day: day)
      else { continue }
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
