public import ImageModel
import TextEncodings

/// The result of ``DiskCache/collectGarbage()``.
public struct GarbageReport: Sendable, Hashable {
  /// Files without a record.
  public var orphanCount = 0
  /// Their bytes.
  public var orphanByteCount = 0
  /// Temporary files and partial bodies without a writer.
  public var leftoverCount = 0
  /// Entries past their age or end.
  public var expiredCount = 0
  /// Entries over the limit.
  public var evictedCount = 0
  /// The bytes of their files.
  public var evictedByteCount = 0
}

/// The result of ``DiskCache/verify(repair:)``.
public struct VerificationReport: Sendable {
  /// The number of entries read: images, thumbnails, and documents of feeds.
  public var entryCount = 0
  /// The bytes of those that are whole.
  public var byteCount = 0
  /// The entries whose bytes are not those that were stored, with a description of the fault.
  public var damages: [(key: CacheKey, reason: String)] = []
  /// A description of a fault of the index itself; `nil` if there is none.
  public var indexFault: String?
  /// Whether anything was wrong.
  public var isDamaged: Bool { !damages.isEmpty || indexFault != nil }
  /// Whether the damaged entries were dropped, and a damaged index replaced.
  public var isRepaired = false
}

/// Whether the disk would answer for a key, and why; see ``DiskCache/explain(_:isShared:)``.
public struct CacheExplanation: Sendable, Hashable {
  /// The decision of the cache.
  public enum Verdict: Sendable, Hashable {
    /// Answers without a request to the origin, for the remaining seconds; `nil` if that has no
    /// end.
    case fresh(remaining: TimeInterval?)
    /// Answers at once and is revalidated in the background.
    case staleWhileRevalidating
    /// Is revalidated with the origin first, with a condition if there is a validator.
    case revalidate(mayServeOnError: Bool)
    /// Is a negative entry until a moment: the origin has no content.
    case negative(ImageError.Code?, until: Date?)
    /// Nothing is stored under this key.
    case absent
    /// Something is stored, but its bytes are not there or not right: it will be fetched again.
    case damaged(String)
  }

  /// The decision of the cache.
  public let verdict: Verdict
  /// The metadata of the entry.
  public let record: CacheRecord?
  /// The file with its bytes.
  public let path: String?

  /// The explanation as a sentence.
  public var sentence: String {
    switch verdict {
    case .fresh(let remaining?):
      "disk: fresh for another \(Duration.seconds(min(remaining, 1e12)).readable)"
    case .fresh(nil): "disk: fresh"
    case .staleWhileRevalidating:
      "disk: stale; would be served while it is revalidated in the background"
    case .revalidate(let mayServe):
      "origin: stale; would be revalidated \(validator)"
        + (mayServe ? "; if the origin fails, the cached copy is used" : "")
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
    return "unconditionally: the entry has no validator"
  }
}
