import ImageFeeds
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The main job: walks the days, loads each image, and tells what came of it.
actor PrefetchRun {
  private let session: Session
  private let plan: PrefetchPlan
  private let output: PrefetchOutput
  private let hud: PrefetchHUD?
  private let trace: AccessRecorder?
  private let began = ContinuousClock.now
  private var tally = PrefetchTally()
  /// URLs that pages of stories name and that are not in the index yet.
  private var named: [DayKey: Set<String>] = [:]
  private var baseFailures = BaseFailures()
  private var failedBases: Set<FeedChoice> = []
  private var export: DayExport?

  /// - Throws: ``ImageError`` when the trace cannot be written or the placeholder not be read.
  init(_ plan: PrefetchPlan, session: Session) throws {
    self.session = session
    self.plan = plan
    trace = try plan.trace.map { try AccessRecorder(path: $0, clock: session.clock) }
    export = try plan.export.map {
      try DayExport(
        directory: $0, linking: plan.exportsLinks, placeholder: plan.placeholder,
        cache: session.cache)
    }
    hud =
      plan.showsProgress && !plan.isDryRun
      ? PrefetchHUD(
        cache: session.cache, showsPictures: plan.showsPictures, isColorless: plan.isColorless)
      : nil
    output = PrefetchOutput(plan, hud: hud)
  }

  /// Runs to the end and returns the exit status.
  ///
  /// - Throws: `CancellationError` after an interruption, when the summary has been told.
  func run() async throws -> Int32 {
    var feedOptions = FeedOptions()
    feedOptions.revalidates = plan.cachePolicy == .revalidate
    feedOptions.isOffline = plan.cachePolicy == .onlyIfCached
    let images = PrefetchSequence(
      parts: try session.parts(plan.days, isRemembered: plan.isRemembered),
      options: feedOptions, includesBodies: plan.includesBodies
    ) { [self] event in await note(event) }

    var interruption: CancellationError?
    do {
      if plan.isDryRun {
        for try await item in images {
          tally.list(item)
          output.plan(item, isKept: isKept(item))
        }
      } else {
        let prefetcher = ImagePrefetcher(
          maximumInFlight: plan.concurrency + NetworkOptions.imagesBeyondTransfers)
        try await prefetcher.run(images) { [self] item in
          try await load(item)
        } finished: { [self] result in
          finish(result)
        }
      }
    } catch let error as CancellationError {
      interruption = error
      tally.isInterrupted = true
    }
    end()
    if let interruption { throw interruption }
    return tally.exitStatus
  }

  // MARK: One image

  private nonisolated func load(_ item: PrefetchItem) async throws -> PrefetchResult {
    let began = ContinuousClock.now
    var request = ImageRequest(url: item.image.url)
    request.priority = .prefetch
    request.isToBeKept = true
    request.cachePolicy = plan.cachePolicy
    request.check = plan.check
    request.groups = [Group.day(item.day)]
    do {
      let response = try await session.pipeline.data(for: request)
      trace?.record(item.image.url, byteCount: response.byteCount)
      let thumbnails = try await makeThumbnails(of: response, for: request)
      return PrefetchResult(
        item: item, outcome: .success(response), thumbnails: thumbnails,
        elapsed: ContinuousClock.now - began)
    } catch let error as ImageError {
      trace?.record(item.image.url, byteCount: 0)
      return PrefetchResult(
        item: item, outcome: .failure(error), thumbnails: [], elapsed: ContinuousClock.now - began)
    }
  }

  private nonisolated func makeThumbnails(
    of response: DataResponse, for request: ImageRequest
  ) async throws -> [Result<Bool, ImageError>] {
    var made: [Result<Bool, ImageError>] = []
    for recipe in plan.thumbnails {
      do {
        let thumbnail = try await session.pipeline.thumbnail(
          of: response, recipe, for: request)
        trace?.record(
          AccessLine.key(of: request.url, variant: recipe.identity),
          byteCount: thumbnail.bytes.count)
        made.append(thumbnail.storeFailure.map { .failure($0) } ?? .success(thumbnail.isNew))
      } catch let error as ImageError {
        made.append(.failure(error))
      }
    }
    return made
  }

  private func finish(_ result: PrefetchResult) {
    let wasDownloaded = tally.wasDownloaded(result.item.image.url)
    tally.add(result)
    switch result.outcome {
    case .success(let response): export?.add(result.item, response)
    case .failure: export?.add(result.item, nil)
    }
    tally.bytesDownloaded = session.pipeline.totalCost.receivedByteCount
    output.show(result, wasDownloaded: wasDownloaded, tally: tally)
  }

  // MARK: Days

  private func note(_ event: PrefetchSequence.Event) {
    switch event {
    case .days(let days, let source):
      baseFailures.note(days, from: source)
      remember(days, from: source)
    case .day(let day, let remaining):
      tally.add(day)
      tally.remainingDays = remaining
      output.show(day)
      output.showProgress(tally)
      if named[day.day] == nil { keepNames() }
    case .bodies(let images, let day):
      tally.announce(images)
      output.showProgress(tally)
      named[day, default: []].formUnion(images.map(\.url))
    case .dayFailed(let query, let error, let source):
      if plan.isRemembered, baseFailures.keep(query, error, from: source) {
        failedBases.insert(source)
      } else {
        fail(query, error)
      }
    case .storyFailed(let story, let day, let error):
      tally.failedPages += 1
      output.show(story, on: day, failedWith: error)
    }
  }

  private func fail(_ query: DayQuery, _ error: ImageError) {
    tally.failedDays += 1
    tally.note(error)
    output.show(query, failedWith: error)
  }

  /// Reports days that none of the remembered bases gave.
  private func reportBases() {
    for failure in baseFailures.unanswered { fail(failure.query, failure.error) }
    for failure in baseFailures.answered {
      output.report.note("another base gave day \(failure.query): \(failure.error.message)")
    }
    baseFailures = BaseFailures()
  }

  private var remembers: Bool { plan.cachePolicy != .onlyIfCached && !plan.isDryRun }

  /// Keeps which feed gave days, and the URLs that they name, for `refresh`, `sheet` and `serve`.
  private func remember(_ days: [FeedDay], from source: FeedChoice) {
    guard remembers, let first = days.first else { return }
    var urls: [DayKey: Set<String>] = [:]
    for day in days { urls[day.day, default: []].formUnion(day.images.map(\.url)) }
    do throws(ImageError) {
      try source.keep(for: days.map(\.day), at: session.clock(), in: session.cache)
      try NamedURLs.add(urls, in: session.cache)
    } catch {
      output.report.note("cannot remember where \(first.day) came from: \(error.message)")
    }
  }

  /// Keeps the URLs that the pages of a day's stories name: once a day, when all of them are read.
  private func keepNames() {
    guard remembers, !named.isEmpty else { return }
    do throws(ImageError) {
      try NamedURLs.add(named, in: session.cache)
    } catch {
      output.report.note("cannot keep the index of URLs: \(error.message)")
    }
    named = [:]
  }

  /// Keeps when the feed was last fetched completely.
  private func noteSuccess() {
    guard plan.cachePolicy != .onlyIfCached, !plan.isDryRun, tally.exitStatus == 0,
      !tally.isInterrupted
    else { return }
    do throws(ImageError) {
      for days in plan.days where !failedBases.contains(days.source) {
        try days.source.noteRefresh(at: session.clock(), in: session.cache)
      }
    } catch {
      output.report.note("cannot keep the time of the refresh: \(error.message)")
    }
  }

  private func isKept(_ item: PrefetchItem) -> Bool {
    session.cache.record(for: .original(url: item.image.url)).map { !$0.isNegative } ?? false
  }

  private func end() {
    hud?.finish()
    keepNames()
    reportBases()
    if let export {
      do { try export.write() } catch let error as ImageError {
        tally.note(error)
        output.report.error(error.message)
      } catch {
        output.report.error("cannot write the export: \(error)")
      }
    }
    do throws(ImageError) { try trace?.finish() } catch {
      tally.note(error)
      output.report.error(error.message)
    }
    noteSuccess()
    let cost = session.pipeline.totalCost
    tally.requests = cost.requestCount
    tally.bytesDownloaded = cost.receivedByteCount
    output.finish(tally, elapsed: .now - began)
  }
}
