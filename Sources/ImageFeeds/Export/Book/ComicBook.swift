import DiskCaching
import ImageModel

/// A comic book of exported days: their images in reading order, a page each, and `ComicInfo.xml`.
///
/// Source: The Anansi Project, "ComicInfo", schema 2.0.
struct ComicBook {
  private let folder: String
  private var images: BookImages
  private var days: [DayKey] = []
  private var titles: [String] = []
  /// The first page of each story, with its title.
  private var bookmarks: [Int: String] = [:]

  /// Moves the images of days into a folder and describes them there.
  ///
  /// - Throws: `ImageError` also if there are no images.
  static func make(of directory: String, in folder: String) throws(ImageError) {
    var book = ComicBook(folder: folder, images: try BookImages(in: folder))
    for day in ExportIndex.days(in: directory) {
      guard let index = ExportIndex(in: "\(directory)/\(day)", day: day) else { continue }
      try book.add(index, from: "\(directory)/\(day)")
    }
    guard !book.images.all.isEmpty else {
      throw ImageError(.notCached, "none of the images is in the cache")
    }
    let path = "\(folder)/ComicInfo.xml"
    try AtomicFile.write(Array(book.information.utf8).span.bytes, to: path, path: path)
  }

  private init(folder: String, images: BookImages) {
    self.folder = folder
    self.images = images
  }

  private mutating func add(_ index: ExportIndex, from day: String) throws(ImageError) {
    days.append(index.day)
    var number = 0
    for card in index.cards {
      let title = ExportDocument.line(card.story.title ?? "")
      titles.append(title)
      var isFirst = true
      for image in card.images where !images.has(image) {
        // As many digits for all, so that names sort as the pages do.
        let stem = "\(index.day)-\(String(1_000_001 + number).dropFirst())"
        guard let page = try images.add(image, from: day, as: stem) else { continue }
        number += 1
        if isFirst, !BookText.escaped(title).isEmpty { bookmarks[page] = title }
        isFirst = false
      }
    }
  }

  private var information: String {
    let words = ExportWords(titles: titles)
    var lines = [
      "<Title>\(BookText.escaped(words.dates(days)))</Title>",
      "<Series>\(BookText.escaped(words.archive))</Series>",
    ]
    if let (year, month, date) = days.last?.parts {
      lines += ["<Year>\(year)</Year>", "<Month>\(month)</Month>", "<Day>\(date)</Day>"]
    }
    lines += [
      "<PageCount>\(images.all.count)</PageCount>",
      "<LanguageISO>\(words.language.prefix(2))</LanguageISO>", "<Pages>",
    ]
    for (number, image) in images.all.enumerated() {
      var page = "<Page Image=\"\(number)\" ImageSize=\"\(image.byteCount)\""
      if number == 0 { page += " Type=\"FrontCover\"" }
      if let title = bookmarks[number] { page += " Bookmark=\"\(BookText.escaped(title))\"" }
      if let size = image.size {
        page += " ImageWidth=\"\(size.width)\" ImageHeight=\"\(size.height)\""
      }
      lines.append(page + "/>")
    }
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <ComicInfo>
      \(lines.joined(separator: "\n"))
      </Pages>
      </ComicInfo>

      """
  }
}
