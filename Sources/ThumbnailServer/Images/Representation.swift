import DiskCaching
import HTTPCaching
import HTTPTypes
import ImageModel
import ImagePipeline
import NIOCore

struct Representation: Sendable {
  enum Content: Sendable {
    case bytes([UInt8])
    case file(BodyFile, byteCount: Int)

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
  let original: CacheRecord
  /// The freshness of the original for a shared cache.
  let lifetime: HTTPFreshness
  private let data: DataResponse
  /// Whether the format was negotiated by the client's `Accept`.
  var isNegotiated = false
  var tags: [CacheTag] = []

  init(_ data: DataResponse) throws(ImageError) {
    // The file is gone where another version has replaced it meanwhile.
    if let path = data.path, let kept = data.hash,
      data.byteCount > ResponseCache.maximumBodyByteCount, let file = BodyFile(path: path)
    {
      content = .file(file, byteCount: data.byteCount)
      hash = kept
    } else {
      let bytes = try data.bytes()
      content = .bytes(bytes)
      // Bytes that are not stored were not hashed yet.
      hash = data.hash ?? bytes.withUnsafeBytes { SHA256.hash(of: $0) }
    }
    self.data = data
    format = data.format
    original = data.original
    lifetime = original.freshness(isShared: true)
  }

  /// `Cache-Control` for clients: the origin's lifetime, from which `Age` is subtracted. A response
  /// that the origin forbids to store, or that is stale already, must be revalidated.
  ///
  /// - Parameter end: When the signature of the request ends, in Unix seconds: no cache may use the
  ///   response beyond it, fresh or stale. Default: never.
  func cacheControl(
    at now: Date, grace: (whileRevalidating: Int?, onError: Int?), until end: Int? = nil
  ) -> String {
    if original.isAlwaysStale { return "no-store" }
    let freshness = lifetime
    guard freshness.isFresh(at: now) else { return "no-cache" }
    var (lifetime, isForbiddenStale) = (Int(freshness.lifetime), freshness.isForbiddenStale)
    var window = Int.max
    if let end {
      // `Age` is rounded down, here and while the response is in memory: hence a second less.
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

  /// When the original last changed according to its origin, else when it was fetched; never in the
  /// future (RFC 9110 §8.8.2.1).
  func lastModified(at now: Date) -> Date {
    min(now, original.lastModified.flatMap { HTTPDate.parse($0) } ?? original.fetchedAt)
  }

  /// The value of `Cache-Status` (RFC 9211).
  func cacheStatus(at now: Date) -> String {
    var status: CacheStatus
    switch data.source {
    case .network, .revalidated:
      let isConfirmed = data.source == .revalidated
      status = CacheStatus(
        .forwarded(isConfirmed ? .stale : .miss, status: isConfirmed ? 304 : nil))
      status.isCollapsed = data.wasShared
    case .disk, .memory, .sharedTier:
      status = CacheStatus(.hit)
      status.detail = data.source.rawValue
      if data.freshness != .fresh, data.freshness != .current {
        status.lifetime = Int(max(-1e9, min(0, lifetime.remaining(at: now))))
      }
    }
    return status.description
  }

  /// The stages, as the value of `Server-Timing`.
  var serverTiming: String? {
    guard !data.steps.isEmpty else { return nil }
    var totals: [(LoadStage, Double)] = []
    for step in data.steps {
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
