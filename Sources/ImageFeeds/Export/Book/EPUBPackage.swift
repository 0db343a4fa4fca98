import ImageModel
import TextEncodings

/// The package document of an EPUB and its tables of contents, by day.
struct EPUBPackage {
  private typealias Day = (day: DayKey, chapters: ArraySlice<BookChapter>)

  private let chapters: [BookChapter]
  private let images: [BookImages.Image]
  private let days: [Day]
  private let words: ExportWords
  private let title: String

  init(chapters: [BookChapter], images: [BookImages.Image]) {
    self.chapters = chapters
    self.images = images
    var days: [Day] = []
    var start = 0
    for (number, chapter) in chapters.enumerated() {
      if number == 0 || chapter.day != chapters[start].day { start = number }
      if start == number { days.append((chapter.day, [])) }
      days[days.count - 1].chapters = chapters[start...number]
    }
    self.days = days
    words = ExportWords(titles: chapters.map(\.title))
    title = "\(words.archive): \(words.dates(days.map(\.day)))"
  }

  /// The same for the same chapters and images, another for others: readers replace a book by one
  /// with its identifier.
  private var identifier: String {
    let parts = chapters.map { "\($0.file) \($0.title)" } + images.map(\.file)
    let digest = Array(ExportFile.hash(of: Array(parts.joined(separator: "\n").utf8)))
    func part(_ range: Range<Int>) -> String { String(digest[range]) }
    // Version 8, of bits of one's own. Source: RFC 9562, 5.8.
    return "urn:uuid:\(part(0..<8))-\(part(8..<12))-8\(part(13..<16))-a\(part(17..<20))-"
      + part(20..<32)
  }

  /// The first image that is large enough, else the first.
  private var cover: Int? {
    let large = images.firstIndex { image in
      image.size.map { min($0.width, $0.height) >= 240 } ?? false
    }
    return large ?? images.indices.first
  }

  var document: String {
    let date = (days.last?.day ?? DayKey(ordinal: 0)).dashed
    let cover = cover
    var items: [String] = []
    for (number, image) in images.enumerated() {
      let role = number == cover ? " properties=\"cover-image\"" : ""
      items.append(
        "<item id=\"image\(number)\" href=\"images/\(image.file)\""
          + " media-type=\"\(image.format.mediaType)\"\(role)/>")
    }
    var references: [String] = []
    for (number, chapter) in chapters.enumerated() {
      items.append(
        "<item id=\"chapter\(number)\" href=\"\(chapter.file)\""
          + " media-type=\"application/xhtml+xml\"/>")
      references.append("<itemref idref=\"chapter\(number)\"/>")
    }
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" \
      xml:lang="\(words.language)">
      <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
      <dc:identifier id="id">\(identifier)</dc:identifier>
      <dc:title>\(title)</dc:title>
      <dc:language>\(words.language)</dc:language>
      <dc:date>\(date)</dc:date>
      <meta property="dcterms:modified">\(date)T00:00:00Z</meta>
      \(cover.map { "<meta name=\"cover\" content=\"image\($0)\"/>" } ?? "")
      </metadata>
      <manifest>
      <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
      <item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
      <item id="style" href="style.css" media-type="text/css"/>
      \(items.joined(separator: "\n"))
      </manifest>
      <spine toc="ncx">
      <itemref idref="nav"/>
      \(references.joined(separator: "\n"))
      </spine>
      </package>

      """
  }

  var navigation: String {
    let list = days.map { day, chapters in
      let lines = chapters.map { line($0.file, $0.title) + "</li>" }
      return line(chapters.first?.file ?? "", words.date(day))
        + "\n<ol>\n\(lines.joined(separator: "\n"))\n</ol></li>"
    }
    return BookChapter.page(
      title: title, language: words.language,
      body: """
        <nav epub:type="toc" id="toc">
        <h1>\(words.contents)</h1>
        <ol>
        \(list.joined(separator: "\n"))
        </ol>
        </nav>
        """)
  }

  private func line(_ file: String, _ title: String) -> String {
    "<li><a href=\"\(file)\">\(BookText.escaped(title))</a>"
  }

  var tableOfContents: String {
    var number = 0
    func point(_ file: String, _ title: String) -> String {
      number += 1
      return "<navPoint id=\"point\(number)\"><navLabel><text>\(BookText.escaped(title))</text>"
        + "</navLabel><content src=\"\(file)\"/>"
    }
    var points: [String] = []
    for (day, chapters) in days {
      points.append(point(chapters.first?.file ?? "", words.date(day)))
      for chapter in chapters { points.append(point(chapter.file, chapter.title) + "</navPoint>") }
      points.append("</navPoint>")
    }
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1" \
      xml:lang="\(words.language)">
      <head><meta name="dtb:uid" content="\(identifier)"/></head>
      <docTitle><text>\(title)</text></docTitle>
      <navMap>
      \(points.joined(separator: "\n"))
      </navMap>
      </ncx>

      """
  }
}
