import ImageCodecs
import ImageFeeds
import ImageModel
import ImagePipeline

/// Makes a contact sheet, page by page: one page is in memory, and one image at a time is decoded.
struct SheetRun {
  private let session: Session
  private let command: SheetCommand
  private let contents: SheetContents
  private let placeholder: PixelBuffer?
  private let messages: MessageGroups
  private var failed = 0
  private var failedDays = 0
  private var done = 0
  private let began = ContinuousClock.now

  /// - Throws: ``ImageError`` when the placeholder cannot be read.
  init(_ command: SheetCommand, _ contents: SheetContents, session: Session) throws(ImageError) {
    self.command = command
    self.contents = contents
    self.session = session
    messages = MessageGroups(command.fetching.report)
    placeholder = try command.placeholder.map { path throws(ImageError) in
      let limits = command.limits.limits()
      let bytes = try InputFile.read(path, maximum: limits.maximumByteCount)
      do throws(ImageError) {
        return try Self.small(bytes, command.box, limits)
      } catch {
        throw ImageError(
          .invalidArgument, "the placeholder \(path) cannot be used: \(error.message)")
      }
    }
  }

  mutating func run() async throws -> Int32 {
    defer { messages.finish() }
    let items = try await gather()
    guard !items.isEmpty else {
      if failedDays == 0 {
        throw ImageError(.dayNotFound, "no sheet was made: there are no images")
      }
      return 1
    }
    let pageCount = (items.count + command.perPage - 1) / command.perPage
    for page in 1...pageCount {
      let start = (page - 1) * command.perPage
      let part = items[start..<min(start + command.perPage, items.count)]
      try await make(Array(part), page: page, of: pageCount, total: items.count)
    }
    if command.fetching.common.showsProgress { StatusLine.shared.draw("") }
    return failed + failedDays > 0 ? 1 : 0
  }

  // MARK: The images

  private mutating func gather() async throws -> [SheetItem] {
    var items: [SheetItem] = []
    let namesDays = Self.isSeveral(contents.days)
    for subject in contents.subjects {
      switch subject {
      case .url(let url): items.append(SheetItem(url: url))
      case .days(let request):
        items += try await images(
          of: request, namingDay: namesDays, room: SheetContents.maximumCount - items.count)
      }
    }
    guard items.count <= SheetContents.maximumCount else { throw Self.tooMany }
    return items
  }

  private static let tooMany = ImageError(
    .limitExceeded,
    "more than \(SheetContents.maximumCount) images are too many for one call; name fewer days")

  private mutating func images(
    of request: DayRequest, namingDay: Bool, room: Int
  ) async throws -> [SheetItem] {
    var items: [SheetItem] = []
    var listing = DayArchive.Options()
    listing.policy = command.origin.cachePolicy
    listing.includesPages = command.bodies
    for try await element in session.archive.list([request], options: listing) {
      switch element {
      case .image(let image):
        guard items.count < room else { throw Self.tooMany }
        items.append(SheetItem(image.image, on: image.day, namingDay: namingDay))
      case .dayFailed, .pageFailed:
        failedDays += 1
        messages.write(failed: element)
      case .answer, .day, .page, .baseFailed: break
      }
    }
    return items
  }

  private static func isSeveral(_ days: [DayRequest]) -> Bool {
    if days.count > 1 { return true }
    if case .range(let range)? = days.first { return range.lowerBound < range.upperBound }
    return false
  }

  // MARK: A page

  /// The result of loading an item. Not a tuple: the optimizer of Swift 6.3 loses the index of one.
  private struct Loaded: Sendable {
    let index: Int
    let result: Result<DataResponse, ImageError>
  }

  private mutating func make(
    _ items: [SheetItem], page: Int, of pageCount: Int, total: Int
  ) async throws {
    let layout = SheetLayout(count: items.count, box: command.box, columns: command.columns)
    var sheet = SheetPage(
      layout, heading: heading(items, page: page, of: pageCount, total: total),
      background: command.background ?? .white)
    let options = command.fetching
    let policy = command.origin.cachePolicy
    let prefetcher = ImagePrefetcher(maximumInFlight: command.parallel.limits.inProgress)
    let (session, limits, box) = (session, command.limits.limits(), command.box)
    var missing = 0
    try await prefetcher.run(items.indices) { index -> Loaded in
      var request = options.request(for: items[index].url, policy)
      request.priority = .prefetch
      request.groups = items[index].day.map { [$0.group] } ?? []
      do {
        return Loaded(
          index: index, result: .success(try await session.pipeline.data(for: request)))
      } catch let error as ImageError {
        return Loaded(index: index, result: .failure(error))
      }
    } finished: { loaded in
      let item = items[loaded.index]
      do throws(ImageError) {
        let (image, facts) = try Self.image(loaded.result.get(), box, limits)
        sheet.place(image, caption: [item.name, facts], at: loaded.index)
      } catch {
        missing += 1
        if options.report.json {
          options.report.object([
            "event": "image", "url": item.url, "status": "failed", "error": error.json,
          ])
        }
        messages.write(
          item.url, error,
          in: .init(.image, error, host: WebURL(item.url)?.host ?? S3Address(item.url)?.bucket))
        sheet.place(
          placeholder, caption: [item.name, SheetItem.facts(error)], at: loaded.index)
      }
      done += 1
      showProgress(of: total)
    }
    failed += missing
    try write(sheet, page: page, of: pageCount, count: items.count, missing: missing)
  }

  private static func image(
    _ response: DataResponse, _ box: PixelSize, _ limits: ImageLimits
  ) throws(ImageError) -> (PixelBuffer, String) {
    let bytes = try response.bytes()
    let info = try ImageCodecs.info(of: bytes.span.bytes, limits: limits)
    return (try small(bytes, box, limits), SheetItem.facts(info, byteCount: bytes.count))
  }

  private static func small(
    _ bytes: [UInt8], _ box: PixelSize, _ limits: ImageLimits
  ) throws(ImageError) -> PixelBuffer {
    try ImageCodecs.pixels(
      of: bytes.span.bytes, recipe: ThumbnailRecipe(size: box, fit: .inside),
      limits: limits)
  }

  private func heading(
    _ items: [SheetItem], page: Int, of pageCount: Int, total: Int
  ) -> String {
    let days = items.compactMap(\.day)
    var parts: [String] = []
    if let first = days.min(), let last = days.max() {
      parts.append(first == last ? first.dashed : "\(first.dashed) to \(last.dashed)")
    }
    parts.append(total.counted("image"))
    if pageCount > 1 { parts.append("page \(page) of \(pageCount)") }
    return parts.joined(separator: " · ")
  }

  private func showProgress(of total: Int) {
    guard command.fetching.common.showsProgress else { return }
    let bar = ProgressBar(
      total: total, finished: done, byteCount: session.pipeline.totalCost.receivedByteCount)
    StatusLine.shared.draw(bar.line(after: .now - began, columns: StatusLine.columns))
  }

  private func write(
    _ sheet: SheetPage, page: Int, of pageCount: Int, count: Int, missing: Int
  ) throws {
    let path = contents.file.path(ofPage: page, of: pageCount)
    var options = EncodingOptions()
    options.quality = command.quality
    let bytes = try ImageCodecs.encode(
      [AnimationFrame(pixels: sheet.pixels, delay: .zero)], as: contents.file.format,
      options: options
    ).bytes
    try OutputFile.write(bytes, to: path)
    let report = command.fetching.report
    if report.json {
      report.object([
        "event": "sheet", "file": path, "page": page, "pages": pageCount, "images": count,
        "missing": missing, "bytes": bytes.count, "width": sheet.layout.size.width,
        "height": sheet.layout.size.height,
      ])
    } else {
      report.note(
        "\(path): \(count.counted("image"))" + (missing > 0 ? ", \(missing) of them missing" : ""))
    }
  }
}
