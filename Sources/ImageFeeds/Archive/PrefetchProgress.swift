import DiskCaching
import ImageModel
import ImagePipeline

/// The progress of a prefetch, and its result at the end. Counts each URL once, even if it is on
/// several days.
public struct PrefetchProgress: Sendable {
  private enum Outcome {
    case downloaded, revalidated, cached, failed
  }

  /// The days loaded so far, in their order, each once.
  public private(set) var days: [DayKey] = []
  /// Queries for days that are still to be made.
  public internal(set) var remainingDays = 0
  /// Days that were not available.
  public internal(set) var failedDays = 0
  /// Story pages whose images could not be listed.
  public internal(set) var failedPages = 0
  /// Images that the filter left out; they count as nothing else.
  public var skipped: Int { skippedURLs.count }
  /// Thumbnails that were made; those that were kept already do not count.
  public private(set) var thumbnails = 0
  /// Bytes of the images that were downloaded and stored.
  public private(set) var bytesStored = 0
  /// HTTP requests sent for images.
  public internal(set) var requests = 0
  /// Bytes of bodies received for images.
  public internal(set) var bytesDownloaded = 0
  /// Whether the cache or the disk failed or a library is missing, and not only an image.
  public private(set) var environmentFailed = false
  /// Whether the disk has no room, after which nothing more is fetched.
  public private(set) var isDiskFull = false
  /// The entries that the cache has evicted since it was opened, and their bytes.
  public internal(set) var evicted = (count: 0, byteCount: 0)
  /// Whether the task was cancelled before all was done.
  public internal(set) var isInterrupted = false

  private var knownDays: Set<DayKey> = []
  private var announced: Set<ExactString> = []
  private var outcomes: [ExactString: Outcome] = [:]
  private var resources: Set<ExactString> = []
  private var counts: [Outcome: Int] = [:]
  private var failedThumbnails = 0
  private var planned: Set<ExactString> = []
  private var skippedURLs: Set<ExactString> = []

  /// Images that are done.
  public var images: Int { outcomes.count + planned.count }
  /// Images of the days so far.
  public var total: Int { max(announced.count, images) }
  /// Images that came from their origin.
  public var downloaded: Int { counts[.downloaded, default: 0] }
  /// Images that their origin confirmed.
  public var revalidated: Int { counts[.revalidated, default: 0] }
  /// Images that the cache had.
  public var cached: Int { counts[.cached, default: 0] }
  /// Images that are not available or could not be stored, and thumbnails that could not be made.
  public var failed: Int { counts[.failed, default: 0] + failedThumbnails }
  /// Whether everything that was requested is kept.
  public var isComplete: Bool {
    failed + failedDays + failedPages == 0 && !environmentFailed && !isInterrupted
  }

  /// Nothing yet.
  public init() {}

  mutating func begin(_ day: DayKey) {
    if knownDays.insert(day).inserted { days.append(day) }
  }

  mutating func announce(_ images: [FeedImage]) {
    for image in images where !skippedURLs.contains(ExactString(image.url)) {
      announced.insert(ExactString(image.url))
    }
  }

  /// Counts an image as left out, unless another day has it.
  mutating func skip(_ image: DayImage) {
    let url = ExactString(image.image.url)
    guard outcomes[url] == nil else { return }
    announced.remove(url)
    skippedURLs.insert(url)
  }

  mutating func plan(_ image: DayImage) { planned.insert(ExactString(image.image.url)) }

  /// Whether what the URL names was downloaded, for this URL or for one with another fragment.
  func wasDownloaded(_ url: String) -> Bool {
    resources.contains(ExactString(WebURL.withoutFragment(url)))
  }

  mutating func add(_ archived: ArchivedImage) {
    for thumbnail in archived.thumbnails {
      switch thumbnail {
      case .success(let made): thumbnails += made.isNew ? 1 : 0
      case .failure(let error):
        failedThumbnails += 1
        record(error)
      }
    }
    let outcome = outcome(of: archived)
    let before = outcomes[ExactString(archived.url)]
    // On another day: the first time counts, unless it failed and this one did not, or found what
    // this one had downloaded and ended later.
    guard before == nil || before == .failed || before == .cached && outcome == .downloaded else {
      return
    }
    if let before { counts[before, default: 0] -= 1 }
    outcomes[ExactString(archived.url)] = outcome
    if skippedURLs.remove(ExactString(archived.url)) != nil {
      announced.insert(ExactString(archived.url))
    }
    counts[outcome, default: 0] += 1
    if outcome == .downloaded, case .success(let response) = archived.outcome {
      resources.insert(ExactString(WebURL.withoutFragment(archived.url)))
      bytesStored += response.byteCount
    }
  }

  private mutating func outcome(of archived: ArchivedImage) -> Outcome {
    switch archived.outcome {
    case .success(let response):
      // An image that could not be kept has failed.
      if let failure = response.storeFailure {
        record(failure)
        return .failed
      }
      return switch archived.source ?? response.source {
      case .network: wasDownloaded(archived.url) ? .cached : .downloaded
      case .revalidated: .revalidated
      case .disk, .memory, .sharedTier: .cached
      }
    case .failure(let error):
      record(error)
      return .failed
    }
  }

  mutating func record(_ error: ImageError) {
    if error.code.isOfEnvironment { environmentFailed = true }
    if error.code == .diskFull { isDiskFull = true }
  }
}
