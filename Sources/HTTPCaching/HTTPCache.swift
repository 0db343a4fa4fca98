public import HTTPTypes
public import ImageModel

/// An HTTP cache by RFC 9111: looks up stored responses, decides, sends requests to the origin and
/// updates the store.
///
/// Originals, documents and the proxy's responses all go through it. What differs between them is
/// the ``CacheProfile`` and the carrier of the bodies: the cache sees heads alone.
public struct HTTPCache<Entry: StoredEntry>: Sendable {
  /// Where responses are stored.
  public let store: any ResponseStore<Entry>
  /// The choices of this cache.
  public let profile: CacheProfile
  private let clock: @Sendable () -> Date
  private let keys: @Sendable (String) -> Set<String>

  /// Creates a cache over a store.
  ///
  /// - Parameters:
  ///   - store: Where responses are stored.
  ///   - profile: The choices of this cache.
  ///   - clock: The time of now.
  ///   - keys: Returns the URLs under which responses to one may be stored. Default: that one.
  public init(
    _ store: some ResponseStore<Entry>, profile: CacheProfile,
    clock: @escaping @Sendable () -> Date,
    keys: @escaping @Sendable (String) -> Set<String> = { [$0] }
  ) {
    self.store = store
    self.profile = profile
    self.clock = clock
    self.keys = keys
  }

  // MARK: Before the origin is asked

  /// The answer to a request. Indirect, because entries are large and asynchronous functions keep
  /// their copies of them in their frames.
  public indirect enum Answer: Sendable {
    /// Answer with this entry, and send the question, if there is one, in the background.
    case deliver(Entry, LoadFreshness, inBackground: Question?)
    /// Send a request to the origin.
    case ask(Question)
    /// Answer 504: the request accepts only a stored response (RFC 9111 §5.2.1.7).
    case gatewayTimeout
  }

  /// A request to the origin, with the stored data that concerns it.
  public struct Question: Sendable {
    /// The request to answer.
    public private(set) var request: HTTPCacheRequest
    /// The URL under which its responses are stored.
    public let url: String
    /// The entries stored for the URL.
    public var stored: [Entry] = []
    /// The request that the cache sends in place of the client's; `nil` to pass that on unchanged.
    var revalidation: HTTPRevalidation?
    /// The number of the stored response that may be used if the origin fails.
    public var substitute: Int?
    /// The reason for the request to the origin.
    public var reason: CacheStatus.Reason

    /// The URL that the conditions of ``revalidation`` are about: the one that answered.
    package var conditionsURL: String {
      revalidation?.nominated.first.flatMap { stored[$0].response.effectiveURL } ?? url
    }

    /// A question about a URL of which nothing is stored.
    public init(_ request: HTTPCacheRequest, url: String, reason: CacheStatus.Reason = .noAnswer) {
      self.request = request
      self.url = url
      self.reason = reason
    }

    /// The same question for another request for the URL.
    public func asked(for request: HTTPCacheRequest) -> Question {
      var question = self
      question.request = request
      return question
    }
  }

  /// Looks up what is stored for a request, and decides what to do with it.
  public func answer(_ request: HTTPCacheRequest, for url: String) -> Answer {
    var stored = request.isAnswerable ? store.entries(for: url, request: request.fields) : []
    if request.presentedURL != nil {
      stored.removeAll { !$0.response.answers(request, storedUnder: url) }
    }
    // Key paths of a generic type are made again at each use, which took a tenth of a load.
    let decision = HTTPCacheDecision(
      for: request, stored: stored.map { $0.response }, at: clock(), profile: profile)
    var question = Question(request, url: url)
    question.stored = stored
    switch decision {
    case .gatewayTimeout: return .gatewayTimeout
    case .deliver(let index, let freshness, let revalidation):
      (question.revalidation, question.substitute) = (revalidation, index)
      question.reason = .stale
      let isRevalidated = freshness == .staleWhileRevalidating
      return .deliver(stored[index], freshness, inBackground: isRevalidated ? question : nil)
    case .validate(let revalidation, let reason, let substitute):
      (question.revalidation, question.substitute) = (revalidation, substitute)
      question.reason = reason
    case .forward(let reason, let substitute):
      (question.substitute, question.reason) = (substitute, reason)
    }
    return .ask(question)
  }

  // MARK: The exchange

  /// The treatment of a response of the origin; indirect for the same reason as ``Answer``.
  public indirect enum Disposition: Sendable {
    /// It answers the request, and nothing of it is stored.
    case pass
    /// It answers the request; store it in this form.
    case store(StoredResponse)
    /// It confirmed this entry, which answers the request.
    case deliver(Entry)
    /// It brings the rest of this entry, from a place in the entry's bytes on: both together answer
    /// the request and are to be stored like this.
    case join(Entry, StoredResponse, at: Int)
    /// It is an error, in place of which this entry answers.
    case substitute(Entry)
  }

  /// A response to the cache's own question is of no use to the request. A carrier throws it where
  /// the stored part that a response completes is gone.
  public struct UselessResponse: LocalizedError {
    /// Creates the error.
    public init() {}

    /// The same for all.
    public var errorDescription: String? { "the response is of no use to the request" }
  }

  /// Sends a request to the origin; sends it again without the cache's own conditions if the
  /// response to them is unusable.
  ///
  /// - Parameters:
  ///   - question: The request to send.
  ///   - invalidated: Called before the responses for a URL are removed because the request changed
  ///     it (RFC 9111 §4.4); with `nil` before those of groups are. Default: does nothing.
  ///   - send: Sends a request with these fields, passes the head of the response to the given
  ///     function, rethrows what that throws, and treats the body as its result specifies.
  public func ask<Result>(
    _ question: Question, invalidated: @escaping (_ url: String?) -> Void = { _ in },
    send: (HTTPFields, (OriginHead) throws -> Disposition) async throws -> Result
  ) async throws -> Result {
    do {
      return try await send(
        question.revalidation?.fields(for: question.request) ?? question.request.fields
      ) { try apply($0, asking: question.revalidation, isRepeated: false, question, invalidated) }
    } catch  where Self.isUseless(error, to: question) {
      return try await send(question.request.fields) {
        try apply($0, asking: nil, isRepeated: true, question, invalidated)
      }
    }
  }

  /// Whether a failure is about the cache's own conditions, by its status.
  private static func isUseless(_ error: any Error, to question: Question) -> Bool {
    if error is UselessResponse { return true }
    guard question.revalidation != nil, let status = (error as? ImageError)?.status else {
      return false
    }
    return HTTPRevalidation.refusals.contains(status)
  }

  private func apply(
    _ head: OriginHead, asking revalidation: HTTPRevalidation?, isRepeated: Bool,
    _ question: Question, _ invalidated: (String?) -> Void
  ) throws -> Disposition {
    let (url, stored) = (question.url, question.stored)
    let update = HTTPCacheUpdate(
      after: head, to: question.request, asking: revalidation, substitute: question.substitute,
      stored: stored.map { $0.response },
      namesItself: head.fields[.contentLocation].map { Self.url($0, from: url) == url } ?? false,
      isRepeated: isRepeated, profile: profile)
    for reference in update.invalidated {
      let own = question.request.presentedURL ?? url
      guard let changed = reference.isEmpty ? own : Self.url(reference, from: url) else { continue }
      for key in keys(changed) {
        invalidated(key)
        store.removeAll(for: key)
      }
    }
    if !update.invalidatedGroups.isEmpty, let origin = WebURL(url)?.origin {
      invalidated(nil)
      store.removeAll(inGroups: update.invalidatedGroups, of: origin)
    }
    for index in update.dropped { store.remove(stored[index], for: url) }
    switch update.action {
    case .pass: return .pass
    case .store(let response): return .store(response)
    case .describe(let index, let renewed):
      _ = store.update(stored[index], as: renewed, for: url)
      return .pass
    case .freshen(let index, let renewed):
      return .deliver(store.update(stored[index], as: renewed, for: url))
    case .join(let index, let joined, let start): return .join(stored[index], joined, at: start)
    case .substitute(let index): return .substitute(stored[index])
    case .askAgain: throw UselessResponse()
    }
  }

  /// The URL at the same origin that a reference in a response means; `nil` for one elsewhere.
  private static func url(_ reference: String, from text: String) -> String? {
    guard let base = WebURL(text), let meant = base.resolving(reference),
      meant.origin == base.origin
    else { return nil }
    return meant.origin + meant.target
  }

  // MARK: Where the origin fails

  /// Returns the entry that may answer although the origin gave no usable response; `nil` when none
  /// may.
  public func substitute(for error: any Error, in question: Question) -> Entry? {
    guard let index = question.substitute, question.request.policy == .http,
      let failure = HTTPFreshness.Failure(error)
    else { return nil }
    let entry = question.stored[index]
    if entry.response.isAlwaysStale {
      // An archive answers regardless of the origin's directives.
      if case .status(let status) = failure, !profile.staleIfErrorStatuses.contains(status) {
        return nil
      }
      return entry
    }
    let control = question.request.control
    let covered: HTTPFreshness.Failure =
      switch failure {
      // A request to an archive that names what it accepts is not given whatever is there.
      case .unreachable where profile.isArchive && control != CacheControl(): .incomplete
      case .incomplete where !profile.isArchive: .unreachable
      default: failure
      }
    let may = profile.freshness(of: entry.response).maySubstitute(
      for: covered, at: clock(), request: control, profile: profile)
    return may ? entry : nil
  }
}

extension HTTPFreshness.Failure {
  /// `nil` for an error of a transfer that is not evidence about the origin's health.
  init?(_ error: any Error) {
    guard let error = error as? ImageError else { return nil }
    switch error.code {
    case .nameNotResolved, .connectionFailed, .connectionReset, .tlsFailed, .timedOut:
      self = .unreachable
    case .shortBody, .protocolError, .saturated: self = .incomplete
    case .httpStatus: self = .status(error.status ?? 0)
    default: return nil
    }
  }
}
