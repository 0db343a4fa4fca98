import HTTPTypes
import ImageModel

/// The decision of a cache about a request, given its stored responses: RFC 9111 §4, as a value.
/// Numbers are places among the stored responses.
enum HTTPCacheDecision: Sendable, Hashable {
  /// Answer from the store, and send this request of the cache, if any, in the background: where the
  /// response is revalidated meanwhile and has validators.
  case deliver(Int, LoadFreshness, inBackground: HTTPRevalidation? = nil)
  /// Send a request of the cache to the origin, in place of which a stored response may be used.
  case validate(HTTPRevalidation, reason: CacheStatus.Reason, substitute: Int?)
  /// Pass the request on as it is.
  case forward(CacheStatus.Reason, substitute: Int?)
  /// Answer 504: the request accepts only a stored response (RFC 9111 §5.2.1.7).
  case gatewayTimeout

  init(
    for request: HTTPCacheRequest, stored: [StoredResponse], at now: Date, profile: CacheProfile
  ) {
    let control = request.control
    guard request.method == "GET" || request.method == "HEAD" else {
      self = .forward(.method, substitute: nil)
      return
    }
    self = Self.decide(request, control, stored, at: now, profile)
    if case .deliver = self { return }
    if control.onlyIfCached || request.policy == .onlyIfCached { self = .gatewayTimeout }
  }

  private static func decide(
    _ request: HTTPCacheRequest, _ control: CacheControl, _ stored: [StoredResponse], at now: Date,
    _ profile: CacheProfile
  ) -> HTTPCacheDecision {
    guard request.isAnswerable, !control.noStore else {
      return .forward(control.noStore ? .request : .bypass, substitute: nil)
    }
    guard request.policy != .reload else { return .forward(.request, substitute: nil) }
    guard !stored.isEmpty else { return .forward(.noAnswer, substitute: nil) }
    let matching = StoredResponse.selected(among: stored, by: request.fields)
      .sorted { stored[$0].date > stored[$1].date }
    if let whole = matching.first(where: { stored[$0].status != 206 }) {
      return decide(request, whole, stored[whole], at: now, profile)
    }
    if let part = matching.first {
      return decide(request, part: part, stored[part], at: now, profile)
    }
    return selection(request, stored)
  }

  private static func decide(
    _ request: HTTPCacheRequest, _ index: Int, _ response: StoredResponse, at now: Date,
    _ profile: CacheProfile
  ) -> HTTPCacheDecision {
    if let freshness = response.reuse(for: request, at: now, profile: profile) {
      let isRevalidated = freshness == .staleWhileRevalidating
      return .deliver(
        index, freshness, inBackground: isRevalidated ? confirmation(index, response) : nil)
    }
    let isFresh = profile.freshness(of: response).isFresh(at: now)
    let reason: CacheStatus.Reason = isFresh ? .request : .stale
    // The effect of a HEAD on what is stored is decided by its answer's fields (RFC 9111 §4.3.5).
    guard request.method == "GET", let confirmation = confirmation(index, response) else {
      return .forward(reason, substitute: index)
    }
    return .validate(confirmation, reason: reason, substitute: index)
  }

  /// Decides with a stored response that is a part, which may cover less than this request or more.
  private static func decide(
    _ request: HTTPCacheRequest, part index: Int, _ answer: StoredResponse, at now: Date,
    _ profile: CacheProfile
  ) -> HTTPCacheDecision {
    guard answer.reuse(for: request, at: now, profile: profile) == .fresh,
      let part = answer.part, let total = part.total
    else { return .forward(.stale, substitute: nil) }
    if let wanted = request.range?.resolved(of: total), part.bytes.contains(wanted),
      HTTPPresentation.rangeApplies(request, to: answer)
    {
      return .deliver(index, .fresh)
    }
    guard request.method == "GET", request.fields[.range] == nil, !request.isConditional,
      part.bytes.lowerBound == 0, let validator = HTTPValidation.strongValidator(of: answer.fields),
      validator.utf8.count <= HTTPRevalidation.maximumValidatorByteCount
    else { return .forward(.partial, substitute: nil) }
    let rest = HTTPRevalidation(
      purpose: .complete(index), nominated: [index],
      conditions: [.range: "bytes=\(part.bytes.upperBound)-", .ifRange: validator])
    return .validate(rest, reason: .partial, substitute: nil)
  }

  private static func selection(
    _ request: HTTPCacheRequest, _ stored: [StoredResponse]
  ) -> HTTPCacheDecision {
    let nominated = nominated(stored)
    guard request.method == "GET", !nominated.isEmpty, !request.isConditional,
      request.fields[.range] == nil
    else { return .forward(.noVariant, substitute: nil) }
    let tags = nominated.map(\.tag).sorted { $0.lexicographicallyPrecedes($1) }
    var conditions = HTTPFields()
    conditions.append(
      HTTPField(name: .ifNoneMatch, value: Array(tags.joined(separator: ", ".utf8))))
    let question = HTTPRevalidation(
      purpose: .select, nominated: nominated.map(\.index), conditions: conditions)
    return .validate(question, reason: .noVariant, substitute: nil)
  }

  /// The variants that a request to the origin names, one of each strong entity tag, the newest
  /// first. They are bounded: a client can create any number, and an origin refuses a long head.
  private static func nominated(_ stored: [StoredResponse]) -> [(index: Int, tag: [UInt8])] {
    let candidates = stored.indices.compactMap { index -> (index: Int, tag: [UInt8], date: Date)? in
      guard stored[index].status == 200, let tag = stored[index].fields.valueBytes(.eTag).first,
        tag.first == UInt8(ascii: "\""), VaryKey.names(in: stored[index].fields) != nil
      else { return nil }
      return (index, tag, stored[index].date)
    }
    var nominated: [(index: Int, tag: [UInt8])] = []
    var room = HTTPRevalidation.maximumValidatorByteCount
    for (index, tag, _) in candidates.sorted(by: { $0.date > $1.date }) {
      let byteCount = tag.count + (nominated.isEmpty ? 0 : 2)
      guard byteCount <= room, !nominated.contains(where: { $0.tag == tag }) else { continue }
      room -= byteCount
      nominated.append((index, tag))
      if nominated.count == HTTPRevalidation.maximumTagCount { break }
    }
    return nominated
  }

  private static func confirmation(_ index: Int, _ answer: StoredResponse) -> HTTPRevalidation? {
    let conditions = HTTPValidation.conditions(for: answer.fields)
    guard !conditions.isEmpty else { return nil }
    return HTTPRevalidation(purpose: .confirm(index), nominated: [index], conditions: conditions)
  }
}

extension Range<Int> {
  func contains(_ other: Range<Int>) -> Bool {
    lowerBound <= other.lowerBound && other.upperBound <= upperBound
  }
}
