import DiskCaching
import HTTPCaching
import ImageFetching
import ImageModel

/// The HTTP cache of originals.
typealias OriginalCache = HTTPCache<DiskResponseStore.Entry>

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

extension HTTPCacheUpdate.Answer {
  /// The head of a response of the pipeline's fetcher, for the URL under which it is stored.
  init(_ response: FetchedResponse, for url: String) {
    self.init(
      status: response.head.status, fields: response.head.fields,
      requestTime: response.requestTime, responseTime: response.responseTime)
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
  init(unstored head: HTTPCacheUpdate.Answer) {
    self.init(
      status: head.status, fields: head.fields, requestTime: head.requestTime,
      responseTime: head.responseTime)
    isAlwaysStale = true
  }
}

extension LoadFreshness {
  init(_ delivery: HTTPCacheDecision.Delivery) {
    self =
      switch delivery {
      case .fresh: .fresh
      case .stale: .stale
      case .revalidatingMeanwhile: .staleWhileRevalidating
      }
  }

  /// Returns `nil` for a response that may not answer at once.
  init?(_ reuse: StoredResponse.Reuse) {
    switch reuse {
    case .fresh: self = .fresh
    case .stale: self = .stale
    case .whileRevalidating, .afterAsking: return nil
    }
  }
}
