import HTTPTypes
import ImagePipeline
import NIOCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A picture as it is offered: its bytes, and what is known of where they came from.
struct Representation: Sendable {
  /// The bytes, or the file that holds them.
  enum Content: Sendable {
    case bytes([UInt8])
    case file(path: String, byteCount: Int)

    var byteCount: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .file(_, let count): count
      }
    }
  }

  var content: Content
  var format: ImageFormat?
  /// The SHA-256 of the bytes: the strong entity tag.
  var hash: BlobHash
  /// The record of the original.
  var original: CacheRecord
  var source: LoadSource
  var freshness: LoadFreshness
  var steps: [LoadStep]
  var wasShared: Bool
  /// Whether the client's `Accept` had a say.
  var isNegotiated = false

  /// The thumbnail.
  init(_ made: ThumbnailResponse, isNegotiated: Bool) {
    content = .bytes(made.bytes)
    format = made.format
    hash = made.hash
    original = made.original
    source = made.source
    freshness = made.freshness
    steps = made.steps
    wasShared = made.wasShared
    self.isNegotiated = isNegotiated
  }

  /// The original; one that is kept and large is sent from its file.
  init(_ data: DataResponse, path: String?) throws(ImageError) {
    if let path, let kept = data.hash, data.byteCount > HotAnswers.largestBody {
      content = .file(path: path, byteCount: data.byteCount)
      hash = kept
    } else {
      let bytes = try data.bytes()
      content = .bytes(bytes)
      // What is not kept was not hashed yet.
      hash = data.hash ?? bytes.withUnsafeBytes { SHA256.hash(of: $0) }
    }
    format = data.format
    original = data.record
    source = data.source
    freshness = data.freshness
    steps = data.steps
    wasShared = false
  }

  /// How long the origin's word holds, for a cache that serves many.
  var lifetime: HTTPFreshness { original.freshness(isShared: true) }

  /// `Cache-Control` for clients: the origin's lifetime, which `Age` counts against; what the
  /// origin forbids to keep, or what is stale already, is not to be used again without asking.
  ///
  /// - Parameter end: When the signature of the request ends, in Unix seconds: no cache may use the
  ///   answer beyond it, fresh or stale. Default: never.
  func cacheControl(at now: Date, grace: StaleGrace, until end: Int? = nil) -> String {
    if original.isAlwaysStale { return "no-store" }
    let freshness = lifetime
    guard freshness.isFresh(at: now) else { return "no-cache" }
    var (lifetime, isForbiddenStale) = (Int(freshness.lifetime), freshness.isForbiddenStale)
    var window = Int.max
    if let end {
      // `Age` is rounded down, here and while the answer waits in memory: a second less makes up
      // for it.
      let left = Int((Double(end) - now.timeIntervalSince1970).rounded(.down)) - 1
      guard left > 0 else { return "no-cache" }
      let age = Int(freshness.age(at: now))
      window = left - (lifetime - age)
      if window <= 0 {
        lifetime = age + left
        isForbiddenStale = true
      }
    }
    var text = "public, max-age=\(lifetime)"
    guard !isForbiddenStale else { return text + ", must-revalidate" }
    if let seconds = freshness.control.staleWhileRevalidate ?? grace.whileRevalidating {
      text += ", stale-while-revalidate=\(min(seconds, window))"
    }
    if let seconds = freshness.control.staleIfError ?? grace.onError {
      text += ", stale-if-error=\(min(seconds, window))"
    }
    return text
  }

  /// When the original last changed, by its origin's word, else when it came; never in the future
  /// (RFC 9110 §8.8.2.1).
  func lastModified(at now: Date) -> Date {
    min(now, original.lastModified.flatMap { HTTPDate.parse($0) } ?? original.fetchedAt)
  }

  /// What was done, in the words of RFC 9211.
  func cacheStatus(at now: Date) -> String {
    var status: CacheStatus
    switch source {
    case .network, .revalidated:
      status = CacheStatus(
        .forwarded(source == .network ? "miss" : "stale", status: source == .network ? nil : 304))
      status.isCollapsed = wasShared
    case .disk, .memory:
      status = CacheStatus(.hit)
      status.detail = source == .memory ? "memory" : "disk"
      if freshness != .fresh, freshness != .current {
        status.lifetime = Int(max(-1e9, min(0, lifetime.remaining(at: now))))
      }
    }
    return status.description
  }

  /// The stages, for `Server-Timing`.
  var serverTiming: String? {
    guard !steps.isEmpty else { return nil }
    var totals: [(LoadStage, Double)] = []
    for step in steps {
      let milliseconds = step.elapsed / .milliseconds(1)
      if let place = totals.firstIndex(where: { $0.0 == step.stage }) {
        totals[place].1 += milliseconds
      } else {
        totals.append((step.stage, milliseconds))
      }
    }
    return totals.map { "\($0.rawValue);dur=\(($1 * 1000).rounded() / 1000)" }
      .joined(separator: ", ")
  }
}

/// How much longer clients may use what has become stale, where the origin says nothing of it.
public struct StaleGrace: Sendable, Hashable {
  /// Seconds, while they ask anew (RFC 5861 §3). Default: none.
  public var whileRevalidating: Int?
  /// Seconds, when asking fails (RFC 5861 §4). Default: none.
  public var onError: Int?

  /// The defaults.
  public init() {}
}
