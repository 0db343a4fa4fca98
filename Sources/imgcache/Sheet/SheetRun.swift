import ImageCodecs
import ImageFeeds
import ImageModel
import ImagePipeline
import LoadScheduling
import TextEncodings
import Typesetting

/// Makes a contact sheet, page by page: one page is in memory, and one image at a time is decoded.
struct SheetRun {
  /// The maximum number of images: the names and captions of all are in memory.
  private static let maximumCount = 100_000

  private let session: Session
  private let command: SheetCommand
  private let file: SheetFile
  private let recipe: ThumbnailRecipe
  private let limits: ImageLimits
  private let placeholder: PixelBuffer?
  private let theme: SheetTheme
  private let messages: MessageGroups
  private var items: [SheetItem] = []
  private var words = SheetWords([])
  private var done = 0
  private var missing = 0
  private var unavailable = 0
  private var hint: String?
  private let began = ContinuousClock.now

  init(_ command: SheetCommand, _ file: SheetFile, session: Session) throws(ImageError) {
    self.command = command
    self.file = file
    self.session = session
    messages = MessageGroups(command.fetching.report)
    theme = SheetTheme(command.theme, background: command.background)
    if file.format != .html { try Canvas.prepare() }
    let page = SheetLayout(count: command.perPage, box: command.box, columns: command.columns).size
    let density = file.density(on: page)
    var recipe = ThumbnailRecipe(
      size: PixelSize(width: density * command.box.width, height: density * command.box.height))
    recipe.enlarges = true
    recipe.background = theme.shade
    let limits = try command.limits.limits()
    placeholder = try command.placeholder.map { path throws(ImageError) in
      let bytes = try InputFile.read(
        path, maximum: limits.maximumByteCount, namedBy: "--placeholder")
      return try ImageError.misuse(about: "the placeholder \(path) cannot be used") {
        () throws(ImageError) in
        try ImageCodecs.pixels(of: bytes.span.bytes, recipe: recipe, limits: limits)
      }
    }
    (self.recipe, self.limits) = (recipe, limits)
  }

  mutating func run(_ subjects: [DayOrURL]) async throws -> Int32 {
    defer { messages.finish() }
    for subject in subjects {
      switch subject {
      case .url(let url): try add(SheetItem(url: url))
      case .days(let request): try await addImages(of: request)
      }
    }
    words = SheetWords(items)
    guard !items.isEmpty else {
      if unavailable == 0 {
        throw ImageError(.dayNotFound, "no sheet was made: there are no images")
      }
      return 1
    }
    switch file.format {
    case .image(let format): try await makeImages(format)
    case .pdf: try await makePDF()
    case .html: try await makeHTML()
    }
    if command.fetching.common.showsProgress { StatusLine.shared.draw("") }
    if let hint { command.fetching.report.hint(hint) }
    return missing + unavailable > 0 ? 1 : 0
  }

  // MARK: Items

  private mutating func add(_ item: SheetItem) throws(ImageError) {
    guard items.count < Self.maximumCount else {
      throw ImageError(
        .limitExceeded,
        "more than \(Self.maximumCount) images are too many for one call; name fewer days")
    }
    items.append(item)
  }

  private mutating func addImages(of request: DayRequest) async throws {
    var listing = DayArchive.Options()
    listing.policy = command.origin.cachePolicy
    listing.includesPages = command.bodies
    var stories: [String: FeedStory] = [:]
    for try await element in session.archive.list([request], options: listing) {
      switch element {
      case .day(let day, _):
        stories = [:]
        for story in day.stories + day.topStories where stories[story.id]?.title.isEmpty ?? true {
          stories[story.id] = story
        }
      case .image(let image):
        try add(SheetItem(image.image, of: stories[image.image.storyID], on: image.day))
      case .dayFailed, .pageFailed:
        unavailable += 1
        messages.write(failed: element)
      case .answer, .page, .baseFailed, .skipped: break
      }
    }
  }

  // MARK: Formats

  private var pages: [ArraySlice<SheetItem>] {
    stride(from: 0, to: items.count, by: command.perPage).map {
      items[$0..<min($0 + command.perPage, items.count)]
    }
  }

  private mutating func makeImages(_ format: ImageFormat) async throws {
    let pages = pages
    for (index, part) in pages.enumerated() {
      let layout = layout(of: part)
      let canvas = try Canvas(layout.size)
      let page = page(index + 1, of: pages.count, layout, on: canvas)
      let before = missing
      try await load(part) { cell, place throws(ImageError) in page.place(cell, at: place) }
      hint = hint ?? canvas.missingGlyphs.hint
      try write(
        try canvas.encoded(as: format, quality: command.quality), page: index + 1,
        of: pages.count, files: pages.count, count: part.count, missing: missing - before,
        size: layout.size)
    }
  }

  private mutating func makePDF() async throws {
    let pages = pages
    let first = layout(of: pages[0]).size
    let canvas = try Canvas(first, output: .pdf)
    let quality = command.quality
    for (index, part) in pages.enumerated() {
      let layout = layout(of: part)
      if index > 0 { try canvas.beginPage(layout.size) }
      let page = page(index + 1, of: pages.count, layout, on: canvas)
      try await load(part) { cell, place throws(ImageError) in
        page.place(cell, jpeg: try cell.jpeg(quality: quality), at: place)
      }
    }
    hint = hint ?? canvas.missingGlyphs.hint
    try write(
      try canvas.pdf(), page: 1, of: pages.count, files: 1, count: items.count, missing: missing,
      size: first)
  }

  private mutating func makeHTML() async throws {
    var document = SheetDocument(
      words, box: command.box, theme: command.theme, background: command.background)
    let quality = command.quality
    for part in pages {
      var cells: [(cell: SheetCell, jpeg: [UInt8]?)?] = Array(repeating: nil, count: part.count)
      try await load(part) { cell, place throws(ImageError) in
        cells[place] = (cell, try cell.jpeg(quality: quality))
        cells[place]?.cell.image = nil
      }
      for case .some(let (cell, jpeg)) in cells { try document.add(cell, jpeg: jpeg) }
    }
    try write(
      document.bytes, page: 1, of: 1, files: 1, count: items.count, missing: missing, size: nil)
  }

  // MARK: A page

  private func layout(of part: ArraySlice<SheetItem>) -> SheetLayout {
    SheetLayout(count: part.count, box: command.box, columns: command.columns)
  }

  private func page(
    _ number: Int, of count: Int, _ layout: SheetLayout, on canvas: Canvas
  ) -> SheetPage {
    SheetPage(
      layout, on: canvas, heading: words.heading,
      subheading: words.subheading(page: number, of: count), theme: theme)
  }

  /// The result of loading an item. Not a tuple: the optimizer of Swift 6.3 loses the index of one.
  private struct Loaded: Sendable {
    let index: Int
    let result: Result<DataResponse, ImageError>
  }

  private mutating func load(
    _ part: ArraySlice<SheetItem>, placing: (SheetCell, Int) throws(ImageError) -> Void
  ) async throws {
    let options = command.fetching
    let items = Array(part)
    let policy = command.origin.cachePolicy
    let session = session
    let work = BoundedWork(maximumInFlight: command.parallel.limits.inProgress)
    try await work.run(items.indices) { index -> Loaded in
      var request = options.request(for: items[index].url, policy)
      request.priority = .prefetch
      request.storage.groups = items[index].day.map { [$0.group] } ?? []
      do {
        return Loaded(
          index: index, result: .success(try await session.pipeline.data(for: request)))
      } catch let error as ImageError {
        return Loaded(index: index, result: .failure(error))
      }
    } finished: { loaded in
      try placing(cell(items[loaded.index], loaded.result), loaded.index)
      done += 1
      showProgress()
    }
  }

  private mutating func cell(
    _ item: SheetItem, _ result: Result<DataResponse, ImageError>
  ) -> SheetCell {
    do throws(ImageError) {
      let bytes = try result.get().bytes()
      let info = try ImageCodecs.info(of: bytes.span.bytes, limits: limits)
      return SheetCell(
        item: item,
        image: try ImageCodecs.pixels(of: bytes.span.bytes, recipe: recipe, limits: limits),
        details: words.details(item, info, byteCount: bytes.count), notice: "")
    } catch {
      missing += 1
      let report = command.fetching.report
      if report.json {
        report.object(
          .image,
          [
            "url": item.url, "status": "failed", "error": error.json,
          ])
      }
      messages.write(
        item.url, error,
        in: .init(.image, error, host: WebURL(item.url)?.host ?? S3Address(item.url)?.bucket))
      return SheetCell(
        item: item, image: placeholder,
        details: words.details(item, error, hasPlaceholder: placeholder != nil),
        notice: words.notice(error))
    }
  }

  private func showProgress() {
    guard command.fetching.common.showsProgress else { return }
    let bar = ProgressBar(
      total: items.count, finished: done,
      byteCount: session.pipeline.transferTotals.receivedByteCount)
    StatusLine.shared.draw(bar.line(after: .now - began, columns: StatusLine.columns))
  }

  /// - Parameter files: The number of files in all; a PDF is one with several pages.
  private func write(
    _ bytes: [UInt8], page: Int, of pageCount: Int, files: Int, count: Int, missing: Int,
    size: PixelSize?
  ) throws {
    let path = file.path(ofPage: page, of: files)
    try OutputFile.write(bytes, to: path)
    let report = command.fetching.report
    if report.json {
      report.object(
        .sheet,
        [
          "path": path, "page": page, "pages": pageCount, "images": count,
          "missing": missing, "bytes": bytes.count, "width": size?.width, "height": size?.height,
        ])
    } else {
      report.note(
        "\(path): \(count.counted("image"))" + (missing > 0 ? ", \(missing) of them missing" : ""))
    }
  }
}
