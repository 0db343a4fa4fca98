import ImageFeeds
import ImagePipeline

/// Makes a contact sheet, page by page: one page is held, and one image at a time is decoded for
/// it.
struct SheetRun {
  private let session: Session
  private let plan: SheetPlan
  private let placeholder: PixelBuffer?
  private let messages: MessageGroups
  private var failed = 0
  private var failedDays = 0
  private var done = 0
  private let began = ContinuousClock.now

  /// - Throws: ``ImageError`` when the placeholder cannot be read.
  init(_ plan: SheetPlan, session: Session) throws(ImageError) {
    self.plan = plan
    messages = MessageGroups(plan.report)
    self.session = session
    if let path = plan.placeholder {
      let bytes = try InputFile.read(path, maximum: plan.limits.maximumByteCount)
      do throws(ImageError) {
        placeholder = try Self.small(bytes, plan)
      } catch {
        throw ImageError(
          .invalidArgument, "the placeholder \(path) cannot be used: \(error.message)")
      }
    } else {
      placeholder = nil
    }
  }

  /// Runs to the end and returns the exit status.
  mutating func run() async throws -> Int32 {
    defer { messages.finish() }
    let items = try await gather()
    guard !items.isEmpty else {
      if failedDays == 0 {
        throw ImageError(.dayNotFound, "no sheet was made: there are no images")
      }
      return 1
    }
    let pageCount = (items.count + plan.perPage - 1) / plan.perPage
    for page in 1...pageCount {
      let start = (page - 1) * plan.perPage
      let part = items[start..<min(start + plan.perPage, items.count)]
      try await make(Array(part), page: page, of: pageCount, total: items.count)
    }
    if plan.showsProgress { StatusLine.shared.draw("") }
    return failed + failedDays > 0 ? 1 : 0
  }

  // MARK: What goes on it

  private mutating func gather() async throws -> [SheetItem] {
    var items: [SheetItem] = []
    let namesDays = Self.isSeveral(plan.days)
    for subject in plan.subjects {
      switch subject {
      case .url(let url): items.append(SheetItem(url: url))
      case .days(let request):
        items += try await images(
          of: request, namingDay: namesDays, room: SheetPlan.maximumCount - items.count)
      }
    }
    guard items.count <= SheetPlan.maximumCount else { throw Self.tooMany }
    return items
  }

  private static let tooMany = ImageError(
    .limitExceeded,
    "more than \(SheetPlan.maximumCount) images are too many for one call; name fewer days")

  private mutating func images(
    of request: DayRequest, namingDay: Bool, room: Int
  ) async throws -> [SheetItem] {
    var items: [SheetItem] = []
    for try await element in session.archive.list([request], options: plan.options) {
      switch element {
      case .image(let image):
        guard items.count < room else { throw Self.tooMany }
        items.append(SheetItem(image.image, on: image.day, namingDay: namingDay))
      case .dayFailed, .pageFailed:
        failedDays += 1
        PrefetchOutput.show(failed: element, plan.report, messages)
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

  /// How the load of an item ended. No tuple: the optimizer of Swift 6.3 hands a tuple on with its
  /// index lost.
  private struct Loaded: Sendable {
    let index: Int
    let result: Result<DataResponse, ImageError>
  }

  private mutating func make(
    _ items: [SheetItem], page: Int, of pageCount: Int, total: Int
  ) async throws {
    let layout = SheetLayout(count: items.count, picture: plan.picture, columns: plan.columns)
    var sheet = SheetPage(
      layout, heading: heading(items, page: page, of: pageCount, total: total),
      background: plan.background)
    let prefetcher = ImagePrefetcher(
      maximumInFlight: plan.concurrency + NetworkOptions.imagesBeyondTransfers)
    let (session, plan) = (session, plan)
    var missing = 0
    try await prefetcher.run(Self.stream(items.count)) { index -> Loaded in
      let request = Self.request(for: items[index], plan)
      do {
        return Loaded(
          index: index, result: .success(try await session.pipeline.data(for: request)))
      } catch let error as ImageError {
        return Loaded(index: index, result: .failure(error))
      }
    } finished: { loaded in
      let item = items[loaded.index]
      do throws(ImageError) {
        let (picture, facts) = try Self.picture(loaded.result.get(), plan)
        sheet.place(picture, caption: [item.name, facts], at: loaded.index)
      } catch {
        missing += 1
        if plan.report.json {
          plan.report.object([
            "event": "image", "url": item.url, "status": "failed", "error": error.json,
          ])
        }
        messages.write(
          PrefetchOutput.line(item.url, naming: item.url, error),
          in: .init(.image, error, host: WebURL(item.url)?.host))
        sheet.place(
          placeholder, caption: [item.name, SheetItem.facts(error)], at: loaded.index)
      }
      done += 1
      showProgress(of: total)
    }
    failed += missing
    try write(sheet, page: page, of: pageCount, count: items.count, missing: missing)
  }

  private static func stream(_ count: Int) -> AsyncStream<Int> {
    AsyncStream { continuation in
      for index in 0..<count { continuation.yield(index) }
      continuation.finish()
    }
  }

  private static func request(for item: SheetItem, _ plan: SheetPlan) -> ImageRequest {
    var request = ImageRequest(url: item.url)
    request.priority = .prefetch
    request.cachePolicy = plan.options.policy
    request.check = plan.options.check
    request.groups = item.day.map { [$0.group] } ?? []
    return request
  }

  private static func picture(
    _ response: DataResponse, _ plan: SheetPlan
  ) throws(ImageError) -> (PixelBuffer, String) {
    let bytes = try response.bytes()
    let info = try ImageCodecs.info(of: bytes.span.bytes, limits: plan.limits)
    return (try small(bytes, plan), SheetItem.facts(info, byteCount: bytes.count))
  }

  private static func small(_ bytes: [UInt8], _ plan: SheetPlan) throws(ImageError) -> PixelBuffer {
    try ImageCodecs.small(
      bytes.span.bytes, recipe: ThumbnailRecipe(size: plan.picture, fit: .inside),
      limits: plan.limits)
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
    guard plan.showsProgress else { return }
    let bar = ProgressBar(
      total: total, finished: done, byteCount: session.pipeline.totalCost.receivedByteCount)
    StatusLine.shared.draw(bar.line(after: .now - began, columns: StatusLine.columns))
  }

  private func write(
    _ sheet: SheetPage, page: Int, of pageCount: Int, count: Int, missing: Int
  ) throws {
    let path = plan.file.path(ofPage: page, of: pageCount)
    let bytes =
      plan.file.format == .png
      ? try ImageCodecs.encodePNG(sheet.pixels)
      : try ImageCodecs.encodeJPEG(
        sheet.pixels, options: JPEGEncodingOptions(quality: plan.quality))
    try FileCopy.write(bytes, to: path)
    if plan.report.json {
      plan.report.object([
        "event": "sheet", "file": path, "page": page, "pages": pageCount, "images": count,
        "missing": missing, "bytes": bytes.count, "width": sheet.layout.size.width,
        "height": sheet.layout.size.height,
      ])
    } else {
      plan.report.note(
        "\(path): \(count.counted("image"))" + (missing > 0 ? ", \(missing) of them missing" : ""))
    }
  }
}
