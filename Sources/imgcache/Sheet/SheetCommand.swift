import ArgumentParser
import ImageCodecs
import ImageFeeds
import ImageModel
import ImagePipeline
import Typesetting

struct SheetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sheet",
    abstract: "Makes a contact sheet of the images of days, or of URLs.",
    usage: "imgcache sheet [<options>] --output <file> <day|url> ...",
    discussion: .examples(
      """
      imgcache sheet 20200616 -o day.png
      imgcache sheet 20200601...20200630 --offline -o june.pdf
      imgcache sheet https://example.org/a.jpg --theme dark -o a.html

      Images that are not cached are fetched, unless --offline. More than --per-page of them go on several pages, \
      june-01.jpg, june-02.jpg and so on, or on those of one PDF. An HTML file has all images in it. The feeds or bases \
      that a day came from are remembered; --api or --feed names others.

      Titles are drawn with Pango and Cairo (Debian: libpangocairo-1.0-0) in the fonts of the system; Chinese needs one \
      that has it (fonts-noto-cjk or fonts-wqy-microhei). HTML needs neither.

      Exit status: 0 all images are on the sheet, 1 something was not available and its place says so, 2 Pango, Cairo \
      or all fonts are missing.
      """))

  @Argument(help: .value("day|url", "Days as for prefetch, or URLs of images."), completion: .days)
  var subjects: [String]

  @Option(
    name: .shortAndLong, help: .value("file", "Write this .png, .jpg, .webp, .pdf or .html file."),
    completion: .file())
  var output: String

  @OptionGroup(title: "Where from", visibility: .fullHelp) var feed: FeedOptions

  @Flag(help: .rare(nil, "Include the images inside each story page.")) var bodies = false
  @Option(help: .value("WxH", "The size of a cell, which images fill (default: 200x200)."))
  var cell: ThumbnailSize?

  @Option(help: .value("n", "Images side by side (default: those of a 4:3 page)."))
  var columns: Int?

  @Option(help: .value("n", "Images on a page.")) var perPage = 200

  @Option(help: .value("light|dark", "The colours (default: light; in HTML, the browser's)."))
  var theme: SheetTheme.Name?

  @Option(help: .rare("RRGGBB", "The colour of the page (default: that of the theme)."))
  var background: PixelColor?

  @Option(help: .rare("1-100", "The quality of a JPEG, and of images in PDF and HTML."))
  var quality = 85

  @Option(help: .rare("file", "The image to draw for an unavailable one."), completion: .file())
  var placeholder: String?

  @OptionGroup(title: "Limits", visibility: .fullHelp) var limits: LimitOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var parallel: ConcurrencyOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var origin: OriginUseOptions
  @OptionGroup var fetching: FetchingOptions

  func validate() throws {
    try require((1...100).contains(quality), "--quality is between 1 and 100")
    try require(
      (1...10_000).contains(perPage) && (1...1000).contains(columns ?? 1),
      "--per-page is between 1 and 10000, --columns between 1 and 1000")
    try require(min(box.width, box.height) >= 16, "--cell has at least 16 pixels a side")
    do throws(ImageError) {
      _ = try contents()
    } catch {
      throw ValidationError(error.message)
    }
  }

  func run() async throws {
    throw ExitCode(try await Interruption.whileHandled { try await make() })
  }

  private func make() async throws -> Int32 {
    feed.timeZone?.use()
    let (file, subjects) = try contents()
    let session = try await Session(
      fetching, feeds: subjects.days.isEmpty ? .named([]) : feed.namedOrRemembered,
      days: subjects.days, namedURLs: subjects.urls, limits: try limits.limits(),
      transfers: parallel.limits, isOffline: origin.offlineUse.offline)
    return try await session.whileOpen {
      try await session.pipeline.onOwnThreads {
        var run = try SheetRun(self, file, session: session)
        return try await run.run(subjects)
      }
    }
  }

  var box: PixelSize { cell?.size ?? PixelSize(width: 200, height: 200) }

  private func contents() throws(ImageError) -> (file: SheetFile, subjects: [DayOrURL]) {
    let file = try SheetFile(output)
    let subjects = try subjects.map(DayOrURL.init)
    let size = SheetLayout(count: perPage, box: box, columns: columns).size
    let side = file.maximumSide
    guard
      file.format == .html
        || size.pixelCount <= Canvas.maximumPixels && max(size.width, size.height) <= side
    else {
      throw ImageError.misuse(
        "a page of \(perPage) images of \(box) would be \(size), above \(side) a side or \(Canvas.maximumPixels) pixels; ask for fewer with --per-page or smaller ones with --cell"
      )
    }
    return (file, subjects)
  }
}
