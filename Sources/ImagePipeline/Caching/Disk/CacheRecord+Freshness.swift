#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes

extension CacheRecord {
  /// How long the entry may be used, as a private or a shared cache.
  public func freshness(isShared: Bool = false) -> HTTPFreshness {
    HTTPFreshness(
      status: status, headers: headers.fields, requestTime: requestTime, responseTime: responseTime,
      isShared: isShared)
  }

  /// Whether the entry may be used without asking the origin. A negative entry may until it ends.
  public func isFresh(at now: Date, isShared: Bool = false) -> Bool {
    if isAlwaysStale { return false }
    if isNegative { return expires.map { now < $0 } ?? true }
    return freshness(isShared: isShared).isFresh(at: now)
  }

  /// What may be done with the entry for a request with these directives.
  public func use(
    at now: Date, request: CacheControl = CacheControl(), isShared: Bool = false
  ) -> HTTPFreshness.Use {
    if isAlwaysStale { return .revalidate(mayServeOnError: true) }
    return freshness(isShared: isShared).use(at: now, request: request)
  }

  /// The fields of a conditional request: `If-None-Match`, `If-Modified-Since`; empty without a
  /// validator.
  public var conditionalFields: HTTPFields { HTTPValidation.conditions(for: headers.fields) }

  /// The record after the origin confirmed the bytes (304).
  public func confirmed(
    by notModified: HTTPFields, requestTime: Date, responseTime: Date
  ) -> CacheRecord {
    var record = self
    record.headers = HeaderText(
      withoutCookieValues: HTTPValidation.merge(headers.fields, with: notModified))
    record.requestTime = requestTime
    record.responseTime = responseTime
    return record
  }
}
