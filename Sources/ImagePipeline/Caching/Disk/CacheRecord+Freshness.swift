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

  /// The fields of a conditional request: `If-None-Match`, `If-Modified-Since`; empty without a validator.
  public var conditionalFields: HTTPFields { HTTPValidation.conditions(for: headers.fields) }

  /// Whether the answer may be stored, as far as its status and fields say.
  ///
  /// - Parameter isShared: Whether the cache serves many users; it stores a response with `Set-Cookie` only where that
  ///   says `public`. Default: false.
  public func mayBeStored(isShared: Bool = false) -> Bool {
    HTTPStorability.mayStore(status: status, headers: headers.fields, isShared: isShared)
  }

  /// Whether the answer may be stored by a private cache.
  public var mayBeStored: Bool { mayBeStored() }

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
