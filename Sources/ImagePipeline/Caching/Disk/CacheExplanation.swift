#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether the disk would answer for a key, and why.
public struct CacheExplanation: Sendable, Hashable {
  /// What the cache would do.
  public enum Verdict: Sendable, Hashable {
    /// Answer without asking the origin, for so many seconds more; `nil` for ever.
    case fresh(remaining: TimeInterval?)
    /// Answer at once and ask the origin meanwhile.
    case staleWhileRevalidating
    /// Ask the origin first, with a condition where there is a validator.
    case revalidate(mayServeOnError: Bool)
    /// Remember that the origin has nothing, until a moment.
    case negative(ImageError.Code?, until: Date?)
    /// Nothing is stored under this key.
    case absent
    /// Something is stored, but its bytes are not there or not right: it will be fetched again.
    case damaged(String)
  }

  /// What the cache would do.
  public let verdict: Verdict
  /// What is known of the entry.
  public let record: CacheRecord?
  /// The file with its bytes.
  public let path: String?

  /// One sentence for people.
  public var sentence: String {
    switch verdict {
    case .fresh(let remaining?):
      "disk: fresh for another \(Duration.seconds(min(remaining, 1e12)).readable)"
    case .fresh(nil): "disk: fresh"
    case .staleWhileRevalidating: "disk: stale, served while the origin is asked"
    case .revalidate(let mayServe):
      "origin: stale, asked \(validator)\(mayServe ? "; the kept bytes serve if it fails" : "")"
    case .negative(let code, let end):
      "disk: the origin had nothing (\(code?.rawValue ?? "unknown"))"
        + (end.map { ", until \(HTTPDate.format($0))" } ?? "")
    case .absent: "origin: not in the cache"
    case .damaged(let reason): "origin: \(reason)"
    }
  }

  private var validator: String {
    if let tag = record?.entityTag { return "with If-None-Match: \(tag)" }
    if let date = record?.lastModified { return "with If-Modified-Since: \(date)" }
    return "without a condition, for there is no validator"
  }
}
