public import HTTPTypes
public import ImageModel

/// The effect of an origin's response on the store and on the client's response: RFC 9111 §3,
/// §4.3.3 to §4.4. Numbers are places among the stored responses on which the decision was based.
struct HTTPCacheUpdate: Sendable {
  enum Action: Sendable, Hashable {
    case pass
    /// Pass it on and keep it, in place of what is stored for the same selection.
    case store(StoredResponse)
    /// A 304: the stored response of that number with these fields is fresh again, and answers the
    /// request. Where its selection differs, it is kept for this request as well.
    case freshen(Int, StoredResponse)
    /// A 304 that matches nothing stored, or a response that may no longer be shared, or a refusal
    /// of the cache's own conditions: send the request again without them.
    case askAgain
    /// The answer brings what the stored part of that number lacks: pass on and keep both joined.
    case join(Int, StoredResponse, answerStart: Int)
    /// The answer to a HEAD: pass it on, and describe the stored answer of that number like this.
    case describe(Int, StoredResponse)
    /// An error: answer the request with the stored answer of that number, as it is.
    case substitute(Int)
  }

  private(set) var action = Action.pass
  /// Stored answers that no longer count.
  private(set) var dropped: [Int] = []
  /// The references that an unsafe request has changed: forget all that is stored for them. They
  /// are resolved against the request's URL and ignored at other origins (RFC 9111 §4.4). An empty
  /// one is the URL itself.
  private(set) var invalidated: [String] = []
  /// The groups that an unsafe request has changed: forget those of the same origin (RFC 9875 §3).
  private(set) var invalidatedGroups: Set<String> = []

  private let answer: OriginHead
  private let request: HTTPCacheRequest
  private let revalidation: HTTPRevalidation?
  private let substitute: Int?
  private let stored: [StoredResponse]
  private let profile: CacheProfile

  /// `revalidation` is the request that the cache sent in place of the client's, `substitute` may
  /// be used in place of an error, `namesItself` is whether the answer's `Content-Location` is the
  /// URL of the request, `isRepeated` whether that was sent again without conditions, which were of
  /// no use.
  init(
    after answer: OriginHead, to request: HTTPCacheRequest, asking revalidation: HTTPRevalidation?,
    substitute: Int? = nil, stored: [StoredResponse], namesItself: Bool = false,
    isRepeated: Bool = false, profile: CacheProfile
  ) {
    var answer = answer
    if answer.status != 304 {
      answer.fields = answer.restricted(answer.fields, status: answer.status)
    }
    (self.answer, self.request, self.revalidation) = (answer, request, revalidation)
    (self.substitute, self.stored, self.profile) = (substitute, stored, profile)
    if !request.isSafe { invalidate() }
    if request.isPassed { return }
    // The origin refuses this client's fields: not an answer for other clients, nor about what is
    // stored.
    if isRepeated, HTTPRevalidation.refusals.contains(answer.status) { return }
    switch request.method {
    case "GET" where !request.hasBody: decide()
    case "HEAD": describe()
    // RFC 9110 §9.3.3: the answer to a POST is one to a GET where it says so.
    case "POST" where answer.status == 200 && namesItself:
      if profile.hasExplicitLifetime(answer.fields) { keep() }
    default: break
    }
  }

  private mutating func decide() {
    if answer.status == 304, let revalidation { return freshen(revalidation) }
    if let revalidation, HTTPRevalidation.refusals.contains(answer.status) {
      // The client did not ask with these conditions, so the refusal is not for it.
      action = .askAgain
      if case .complete(let index) = revalidation.purpose { dropped.append(index) }
      return
    }
    if let substitute, answer.status >= 500 {
      let may = profile.freshness(of: stored[substitute]).maySubstitute(
        for: .status(answer.status), at: answer.responseTime, request: request.control,
        profile: profile)
      if may {
        action = .substitute(substitute)
        return
      }
    }
    if answer.status == 206 {
      keepPart()
    } else if answer.status != 304, answer.status != 416 || request.fields[.range] == nil {
      keep()
    }
    if case .pass = action, answer.status < 500, answer.status != 304, answer.status != 206,
      !HTTPStorability.refusals.contains(answer.status), let substitute, !profile.isArchive
    {
      // A newer response that is not stored: the stale one before it is worth nothing any more.
      let isStale = !profile.freshness(of: stored[substitute]).isFresh(
        at: answer.responseTime)
      if isStale { dropped.append(substitute) }
    }
  }

  // MARK: Storing

  private mutating func keep() {
    let mayStore = profile.mayStore(status: answer.status, answer.fields, for: request.fields)
    guard answer.status != 206, mayStore || profile.isArchive && request.mustBeStored,
      var kept = kept
    else { return }
    kept.isAlwaysStale = !mayStore
    action = .store(kept)
  }

  /// The answer as it would be stored; `nil` when that would be of no use: for no request (`Vary:
  /// *`), or never fresh, without a validator and without a time for which it may be used stale.
  private var kept: StoredResponse? {
    let selection = VaryKey(answer: answer.fields, request: request.fields)?.description
    guard selection != nil || profile.isArchive else { return nil }
    var stored = StoredResponse(
      status: answer.status, fields: profile.stored(answer.fields), requestTime: answer.requestTime,
      responseTime: answer.responseTime, selection: selection ?? StoredResponse.selectsNothing)
    stored.effectiveURL = answer.effectiveURL
    if profile.isArchive { return stored }
    let freshness = profile.freshness(of: stored)
    let isUseful =
      freshness.lifetime > 0 || !HTTPValidation.conditions(for: answer.fields).isEmpty
      || freshness.control.staleIfError != nil || freshness.control.staleWhileRevalidate != nil
    return isUseful ? stored : nil
  }

  // MARK: 304

  private mutating func freshen(_ revalidation: HTTPRevalidation) {
    guard
      let index = HTTPValidation.selected(
        by: answer.fields, among: stored, nominated: revalidation.nominated),
      // After a redirect to another resource, the confirmation is about that one.
      stored[index].effectiveURL == answer.effectiveURL
    else {
      action = .askAgain
      return
    }
    var renewed = renewed(stored[index])
    renewed.fields = answer.restricted(renewed.fields, status: renewed.status)
    // A confirmation may say `private` of what was public: then it is for this client, and not to
    // be shared.
    let mayStore = profile.mayStore(status: renewed.status, renewed.fields, for: [:])
    guard mayStore || profile.isArchive else {
      action = .askAgain
      dropped.append(index)
      return
    }
    let selection = VaryKey(answer: renewed.fields, request: request.fields)?.description
    renewed.selection = selection ?? renewed.selection
    renewed.isAlwaysStale = !mayStore
    action = .freshen(index, renewed)
  }

  /// A stored response with the fields and times of the answer.
  private func renewed(_ response: StoredResponse) -> StoredResponse {
    var renewed = response
    renewed.fields = HTTPValidation.merge(renewed.fields, with: profile.stored(answer.fields))
    renewed.fields[.defaultControl] = answer.fields[.defaultControl]
    renewed.requestTime = answer.requestTime
    renewed.responseTime = answer.responseTime
    return renewed
  }

  // MARK: Parts

  /// A 206: alone, or joined with a part of the same whole (RFC 9111 §3.3, §3.4).
  private mutating func keepPart() {
    let part = answer.fields[.contentRange].flatMap { HTTPContentRange($0) }
    let mayStore = profile.mayStore(status: 206, answer.fields, for: request.fields)
    if case .complete(let index) = revalidation?.purpose {
      guard let part, mayStore, let joined = join(stored[index], part), joined.isWhole else {
        action = .askAgain
        dropped.append(index)
        return
      }
      action = .join(index, joined.answer, answerStart: joined.start)
      return
    }
    guard let part, part.total != nil, request.range != nil, mayStore, let kept else { return }
    // A part never takes the place of a whole that is as new.
    if let whole = stored.first(where: { $0.selection == kept.selection }), whole.status == 200 {
      let validator = HTTPValidation.strongValidator(of: answer.fields)
      let isSame = validator != nil && validator == HTTPValidation.strongValidator(of: whole.fields)
      if isSame || profile.freshness(of: whole).isFresh(at: answer.responseTime) {
        return
      }
    }
    action = .store(kept)
  }

  /// A stored beginning with the rest behind it; `nil` when they are not of one whole or do not
  /// touch.
  private func join(
    _ stored: StoredResponse, _ part: HTTPContentRange
  ) -> (answer: StoredResponse, start: Int, isWhole: Bool)? {
    guard let own = stored.part, let total = own.total, part.total ?? total == total,
      let validator = HTTPValidation.strongValidator(of: stored.fields),
      HTTPValidation.strongValidator(of: answer.fields) == validator,
      part.bytes.lowerBound <= own.bytes.upperBound, part.bytes.upperBound > own.bytes.upperBound
    else { return nil }
    let bytes = own.bytes.lowerBound..<part.bytes.upperBound
    // The joined answer goes to this client as it is: without what was for the client that brought
    // the beginning.
    var joined = stored
    joined.fields = profile.reusable(stored.fields)
    joined = renewed(joined)
    let isWhole = bytes == 0..<total
    joined.status = isWhole ? 200 : 206
    joined.fields[.contentRange] =
      isWhole ? nil : HTTPContentRange(bytes: bytes, total: total).description
    joined.fields[.contentLength] = String(bytes.count)
    joined.byteCount = bytes.count
    return (joined, part.bytes.lowerBound - own.bytes.lowerBound, isWhole)
  }

  // MARK: HEAD

  /// RFC 9111 §4.3.5: the answer to a HEAD updates the stored answer's fields, or shows that it is
  /// outdated.
  private mutating func describe() {
    let index =
      substitute ?? stored.firstIndex { $0.status == 200 && $0.isSelected(by: request.fields) }
    guard let index, answer.status == 200, stored[index].status == 200 else { return }
    let compared: [HTTPField.Name] = [.eTag, .lastModified, .contentLength]
    let isSame = compared.allSatisfy { name in
      guard let new = answer.fields[name] else { return true }
      let old = stored[index].fields[name]
      return new == (name == .contentLength ? String(stored[index].byteCount) : old)
    }
    guard isSame else { return dropped.append(index) }
    if profile.mayStore(status: 200, answer.fields, for: request.fields) {
      action = .describe(index, renewed(stored[index]))
    }
  }

  // MARK: Invalidation

  private mutating func invalidate() {
    guard (200..<400).contains(answer.status) else { return }
    let references = [HTTPField.Name.location, .contentLocation].compactMap { answer.fields[$0] }
    invalidated = [""] + references
    invalidatedGroups = answer.fields.invalidatedCacheGroups
  }
}

/// The head of an origin's response as it arrived.
public struct OriginHead: Sendable, Hashable {
  /// The status.
  public var status: Int
  /// Without the fields of the connection.
  public var fields: HTTPFields
  /// When the request was sent.
  public var requestTime: Date
  /// When the head was received.
  public var responseTime: Date
  /// See ``StoredResponse/effectiveURL``. Default: `nil`.
  public var effectiveURL: String?
  /// The fields of the redirects that led to it, in order. Default: none.
  public var redirects: [HTTPFields] = []

  /// Creates a head.
  public init(status: Int, fields: HTTPFields, requestTime: Date, responseTime: Date) {
    self.status = status
    self.fields = fields
    self.requestTime = requestTime
    self.responseTime = responseTime
  }

  /// The fields of a response with this status, as the redirects restrict them.
  func restricted(_ fields: HTTPFields, status: Int) -> HTTPFields {
    fields.restricted(
      by: redirects, status: status, requestTime: requestTime, responseTime: responseTime)
  }
}
