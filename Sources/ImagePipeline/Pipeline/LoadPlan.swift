#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What to do with a request, given what is kept: a value, so that every case can be tested.
enum LoadPlan: Equatable {
  /// What is kept answers.
  case deliver
  /// The origin is asked: with the validators of what is kept, so that it may answer 304, or without.
  case fetch(revalidates: Bool)
  /// There is no answer, and the origin is not asked for one.
  case fail(ImageError.Code)

  /// Decides.
  ///
  /// - Parameters:
  ///   - policy: How far what is kept may be trusted.
  ///   - kept: What is kept; a negative record remembers that there is nothing.
  ///   - isFresh: Whether it is fresh by the rules of HTTP.
  init(policy: CachePolicy, kept: CacheRecord?, isFresh: Bool) {
    switch (policy, kept) {
    case (.reload, _):
      self = .fetch(revalidates: false)
    case (.onlyIfCached, let record?) where !record.isNegative,
      (.forever, let record?) where !record.isNegative:
      self = .deliver
    case (.onlyIfCached, _):
      self = .fail(.notCached)
    case (.http, let record?) where record.isNegative && isFresh,
      (.forever, let record?) where record.isNegative && isFresh:
      self = .fail(record.failure ?? .httpStatus)
    case (.http, let record?) where !record.isNegative && isFresh:
      self = .deliver
    case (_, let record?) where !record.isNegative:
      self = .fetch(revalidates: true)
    default:
      self = .fetch(revalidates: false)
    }
  }
}
