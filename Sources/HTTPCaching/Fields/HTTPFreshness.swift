package import HTTPTypes
public import ImageModel

/// How long a stored answer may be used, and how, by RFC 9111 §4.2: a value made from the answer
/// alone.
public struct HTTPFreshness: Sendable, Hashable {
  /// The longest that an answer without a word on its freshness counts as fresh: a week.
  static let maximumHeuristicLifetime: TimeInterval = 7 * 86400

  /// Seconds for which the answer is fresh, from its making on.
  public let lifetime: TimeInterval
  /// Whether ``lifetime`` is a guess: a tenth of the time since the last change (RFC 9111 §4.2.2).
  package let isHeuristic: Bool
  /// The answer's directives.
  public let control: CacheControl
  /// The age that the answer had when it arrived (RFC 9111 §4.2.3), in seconds.
  public let initialAge: TimeInterval
  private let responseTime: Date
  private let isShared: Bool

  package init(
    status: Int, headers: HTTPFields, requestTime: Date, responseTime: Date,
    profile: CacheProfile = CacheProfile()
  ) {
    self.responseTime = responseTime
    isShared = profile.isShared
    var control = profile.control(of: headers)
    let defaults =
      headers.contains(.defaultControl) ? CacheControl(headers[values: .defaultControl]) : nil
    control.staleWhileRevalidate = control.staleWhileRevalidate ?? defaults?.staleWhileRevalidate
    control.staleIfError = control.staleIfError ?? defaults?.staleIfError
    self.control = control
    let date = headers[values: .date].first.flatMap { HTTPDate.parse($0, now: responseTime) }
    initialAge = Self.age(headers, date: date, requestTime: requestTime, responseTime: responseTime)
    (lifetime, isHeuristic) = Self.lifetime(
      status, headers, control, date: date ?? responseTime, default: defaults?.maximumAge, profile)
  }

  /// The answer's age at a moment, in seconds. A moment before its arrival means that a clock was
  /// changed: then nothing is known, and the age is endless.
  public func age(at now: Date) -> TimeInterval {
    let resident = now.timeIntervalSince(responseTime)
    return resident < -1 ? .infinity : initialAge + max(0, resident)
  }

  /// Seconds until the answer is stale; negative afterwards.
  public func remaining(at now: Date) -> TimeInterval { lifetime - age(at: now) }

  /// Whether the response's own fields allow its use without a request to the origin.
  public func isFresh(at now: Date) -> Bool {
    control.noCache != .all && remaining(at: now) > 0
  }

  /// How the response may answer a request with these directives: fresh, stale because the request
  /// accepts that (`max-stale`), or stale while it is revalidated (RFC 5861 §3); `nil` if it has to be
  /// revalidated first.
  public func use(at now: Date, request: CacheControl = CacheControl()) -> LoadFreshness? {
    let age = age(at: now)
    let remaining = lifetime - age
    if control.noCache == .all || request.noCache != nil { return nil }
    if let limit = request.maximumAge, age > TimeInterval(limit) { return nil }
    if let minimum = request.minimumFreshness, remaining < TimeInterval(minimum) { return nil }
    if remaining > 0 { return .fresh }
    if isForbiddenStale { return nil }
    if let accepted = request.maximumStaleness, -remaining <= TimeInterval(accepted) {
      return .stale
    }
    if let window = control.staleWhileRevalidate, -remaining < TimeInterval(window) {
      return .staleWhileRevalidating
    }
    return nil
  }

  package enum Failure: Sendable, Hashable {
    case status(Int)
    /// It could not be reached, or broke off before the head of its response.
    case unreachable
    /// Its response broke off or was malformed, or there was no capacity for the request.
    case incomplete
  }

  /// Whether the response, requested but not confirmed, may be used as it is.
  ///
  /// `stale-if-error` covers an error of the origin (RFC 5861 §4), and so does
  /// `stale-while-revalidate`, in whose window a response may be used without a request to the
  /// origin. An origin that cannot be reached is what RFC 9111 §4.2.4 calls disconnected: then a
  /// stale response may be used unless something forbids it, for as long as the profile or, where
  /// it is given, `stale-if-error` allows.
  package func maySubstitute(
    for failure: Failure, at now: Date, request: CacheControl = CacheControl(),
    profile: CacheProfile
  ) -> Bool {
    if isForbiddenStale { return false }
    let staleness = -remaining(at: now)
    let window = TimeInterval(
      max(control.staleIfError ?? 0, request.staleIfError ?? 0, control.staleWhileRevalidate ?? 0))
    switch failure {
    case .status(let status) where !profile.staleIfErrorStatuses.contains(status): return false
    case .unreachable where control.staleIfError == nil:
      return staleness < max(window, profile.maximumDisconnectedStaleness)
    default: return staleness < window
    }
  }

  /// Whether the origin forbids any stale use (RFC 9111 §4.2.4).
  public var isForbiddenStale: Bool {
    control.mustRevalidate || control.noCache == .all
      || isShared && (control.proxyRevalidate || control.sharedMaximumAge != nil)
  }

  private static func age(
    _ headers: HTTPFields, date: Date?, requestTime: Date, responseTime: Date
  ) -> TimeInterval {
    let apparent = date.map { max(0, responseTime.timeIntervalSince($0)) } ?? 0
    let delay = max(0, responseTime.timeIntervalSince(requestTime))
    let line = headers[values: .age].first?.split(separator: ",").first.map(String.init)
    let stated = TimeInterval(HTTPDirectives.seconds(line?.filter { $0 != " " }) ?? 0)
    return max(apparent, stated + delay)
  }

  private static func lifetime(
    _ status: Int, _ headers: HTTPFields, _ control: CacheControl, date: Date,
    default: Int?, _ profile: CacheProfile
  ) -> (TimeInterval, isHeuristic: Bool) {
    // No request matches it again without being asked (RFC 9111 §4.1).
    if VaryKey.names(in: headers) == nil { return (0, false) }
    if profile.isShared, let seconds = control.sharedMaximumAge {
      return (TimeInterval(seconds), false)
    }
    if let seconds = control.maximumAge { return (TimeInterval(seconds), false) }
    let expirations = Set(headers[values: .expires])
    if let expires = expirations.first, !profile.isTargeted(headers) {
      // Two that differ are a conflict: stale (§4.2.1).
      guard expirations.count == 1, let end = HTTPDate.parse(expires, now: date) else {
        return (0, false)
      }
      return (max(0, end.timeIntervalSince(date)), false)
    }
    if let `default` { return (TimeInterval(`default`), false) }
    guard HTTPStorability.heuristicStatuses.contains(status) || control.isPublic,
      let changed = headers[values: .lastModified].first.flatMap({ HTTPDate.parse($0, now: date) })
    else { return (0, true) }
    return (min(maximumHeuristicLifetime, max(0, date.timeIntervalSince(changed) / 10)), true)
  }
}
