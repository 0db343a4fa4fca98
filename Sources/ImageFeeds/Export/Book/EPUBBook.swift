import DiskCaching
import ImageModel

/// An EPUB 3 of exported days: a chapter a story, in the order of the days, with its images.
///
/// Source: EPUB 3.2; the `toc.ncx` of EPUB 2 is for readers that know nothing newer.
struct EPUBBook {
  /// The file that tells what the archive is, without compression.
  static let firstFile = "mimetype"
  private static let style = """
    body { line-height: 1.5; }
    img { max-width: 100%; height: auto; }
    .image { text-align: center; margin: 1em 0; }
    .by, .missing { color: #666; font-size: 0.9em; }
    .text { margin: 1em 0; overflow-wrap: break-word; }

    """
  private static let container = """
    <?xml version="1.0" encoding="utf-8"?>
    <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
    <rootfiles><rootfile full-path="EPUB/package.opf" \
    media-type="application/oebps-package+xml"/></rootfiles>
    </container>

    """

  private let folder: String
  private var images: BookImages
  private var chapters: [BookChapter] = []

  /// Moves the images of days into a folder and writes the other files there.
  static func make(of directory: String, in folder: String) throws(ImageError) {
    var book = EPUBBook(folder: folder, images: try BookImages(in: "\(folder)/EPUB/images"))
    for day in ExportIndex.days(in: directory) {
      guard let index = ExportIndex(in: "\(directory)/\(day)", day: day) else { continue }
      try book.add(index, from: "\(directory)/\(day)")
    }
    try book.finish()
  }

  private init(folder: String, images: BookImages) {
    self.folder = folder
    self.images = images
  }

  private mutating func add(_ index: ExportIndex, from day: String) throws(ImageError) {
    let cards = index.cards
    let words = ExportWords(titles: cards.map { $0.story.title ?? "" })
    for (number, card) in cards.enumerated() {
      let chapter = BookChapter(card, of: index.day, number: number + 1, words: words)
      let document = try chapter.document(card, index, in: day, words: words, images: &images)
      try write(document, to: "EPUB/\(chapter.file)")
      chapters.append(chapter)
    }
  }

  private func finish() throws(ImageError) {
    let package = EPUBPackage(chapters: chapters, images: images.all)
    try ExportFile.makeFolder("\(folder)/META-INF")
    try write("application/epub+zip", to: Self.firstFile)
    try write(Self.container, to: "META-INF/container.xml")
    try write(Self.style, to: "EPUB/style.css")
    try write(package.document, to: "EPUB/package.opf")
    try write(package.navigation, to: "EPUB/nav.xhtml")
    try write(package.tableOfContents, to: "EPUB/toc.ncx")
  }

  private func write(_ text: String, to file: String) throws(ImageError) {
    let path = "\(folder)/\(file)"
    try AtomicFile.write(Array(text.utf8).span.bytes, to: path, path: path)
  }
}
