/// What to do with a request, given what is kept: a value, so that every case can be tested.
enum LoadPlan: Equatable {
  /// What is kept answers.
  case deliver(LoadFreshness)
  /// What is kept answers now, and the origin is asked meanwhile.
  case deliverAndRefresh
  /// The origin is asked: with the validators of what is kept, so that it may answer 304, or without. Where it
  /// fails, what is kept may answer all the same.
  case fetch(revalidates: Bool, servesOnError: Bool = false)
  /// There is no answer, and the origin is not asked for one.
  case fail(ImageError.Code)

  /// Decides.
  ///
  /// - Parameters:
  ///   - policy: How far what is kept may be trusted.
  ///   - kept: What is kept; a negative record remembers that there is nothing.
  ///   - isBelieved: Whether a negative record has not ended yet.
  ///   - use: What the rules of HTTP say of what is kept.
  ///   - isLookedAt: Whether somebody waits who would rather see a stale picture now. A prefetch would not: it is
  ///     there to make things fresh.
  init(
    policy: CachePolicy, kept: CacheRecord?, isBelieved: Bool = true,
    use: HTTPFreshness.Use = .fresh, isLookedAt: Bool = true
  ) {
    guard let kept, policy != .reload else {
      self = policy == .onlyIfCached ? .fail(.notCached) : .fetch(revalidates: false)
      return
    }
    guard !kept.isNegative else {
      switch policy {
      case .onlyIfCached: self = .fail(.notCached)
      case .http where isBelieved, .forever where isBelieved:
        self = .fail(kept.failure ?? .httpStatus)
      default: self = .fetch(revalidates: false)
      }
      return
    }
    switch (policy, use) {
    case (.onlyIfCached, .fresh), (.forever, .fresh), (.http, .fresh): self = .deliver(.fresh)
    case (.onlyIfCached, _), (.forever, _), (.http, .acceptedStale): self = .deliver(.stale)
    case (.http, .staleWhileRevalidating) where isLookedAt: self = .deliverAndRefresh
    case (.http, .staleWhileRevalidating):
      self = .fetch(revalidates: true, servesOnError: true)
    case (.http, .revalidate(let mayServeOnError)):
      self = .fetch(revalidates: true, servesOnError: mayServeOnError)
    case (.revalidate, _), (.reload, _): self = .fetch(revalidates: true)
    }
  }

  /// Whether a failure is one that a stale answer may stand in for (RFC 5861 §4): the origin could not be
  /// reached, or said that it is in trouble, or too many wait to ask.
  static func isCoveredByStale(_ error: ImageError) -> Bool {
    switch error.code {
    case .nameNotResolved, .connectionFailed, .connectionReset, .tlsFailed, .timedOut, .shortBody,
      .protocolError, .saturated:
      true
    case .httpStatus: [429, 500, 502, 503, 504].contains(error.status ?? 0)
    default: false
    }
  }

  /// Whether a failure says that the origin could not be reached at all.
  static func isDisconnected(_ error: ImageError) -> Bool {
    switch error.code {
    case .nameNotResolved, .connectionFailed, .connectionReset, .tlsFailed, .timedOut: true
    default: false
    }
  }
}
