import DiskCaching
import HTTPCaching
import HTTPTypes
import ImageFetching
import ImageModel
import LoadScheduling
import Synchronization

typealias OriginalCache = HTTPCache<DiskResponseStore.Entry>

/// What was found on disk of a request's original. A look-up for its result passes it on, so that
/// the disk is asked once.
struct OriginalLookup: Sendable {
  let answer: OriginalCache.Answer
  let elapsed: Duration
  let isInteractive: Bool
  private let endedOriginals: UInt64

  /// Looks it up, on a thread that may block.
  init(_ load: Load, at priority: LoadPriority) {
    endedOriginals = load.graph.endedOriginals.load(ordering: .acquiring)
    let start = ContinuousClock.now
    isInteractive = priority > .prefetch
    answer = load.graph.originals.answer(
      load.resolved.cacheRequest(isInteractive: isInteractive), for: load.resolved.cacheURL)
    elapsed = ContinuousClock.now - start
  }

  /// Whether no node of an original has ended since: one may have stored what was absent.
  func isCurrent(in graph: ImageGraph) -> Bool {
    graph.endedOriginals.load(ordering: .acquiring) == endedOriginals
  }

  /// The entry that may answer; `nil` for one of a failure as well.
  var deliveredKey: CacheKey? {
    guard case .deliver(let entry, _, _) = answer, !entry.record.isNegative else { return nil }
    return entry.record.key
  }
}

extension HTTPCache.Answer where Entry == DiskResponseStore.Entry {
  /// The contents of the disk, in a word for people.
  var outcome: String {
    switch self {
    case .deliver(let entry, _, _):
      entry.record.isNegative ? "nothing there, as remembered" : "found"
    case .ask(let question): question.stored.isEmpty ? "absent" : "found"
    case .gatewayTimeout: "absent"
    }
  }
}

extension OriginHead {
  /// The head of a response to a request, which may have a key and a lifetime of its own.
  init(_ response: FetchedResponse, to resolved: ResolvedRequest, at now: Date) {
    let cache = resolved.request.cache
    self.init(
      response, for: cache.key == nil ? resolved.cacheURL : resolved.request.url, at: now)
    guard let lifetime = cache.lifetime else { return }
    for name in [HTTPField.Name.age, .date, .expires] { fields[name] = nil }
    fields[.cacheControl] = "max-age=\(max(0, lifetime.bounded.components.seconds))"
  }

  /// The head of a response of the pipeline's fetcher, for the URL under which it is stored.
  init(_ response: FetchedResponse, for url: String, at now: Date) {
    self.init(
      status: response.head.status, fields: response.head.fields,
      requestTime: response.requestTime ?? now, responseTime: response.responseTime ?? now)
    let answered = response.head.url
    redirects = response.redirects
    // A redirect may lead to its own URL, with a cookie.
    if !redirects.isEmpty || answered != url && WebURL(answered)?.text != WebURL(url)?.text {
      effectiveURL = answered
    }
  }
}

extension StoredResponse {
  /// A response that is not stored, and so may answer only the callers that wait for it.
  init(unstored head: OriginHead) {
    self.init(
      status: head.status, fields: head.fields, requestTime: head.requestTime,
      responseTime: head.responseTime)
    isAlwaysStale = true
  }
}
