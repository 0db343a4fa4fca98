/// The tier that answered a load.
public enum LoadSource: String, Sendable, CaseIterable, Codable {
  /// The origin, which sent the bytes.
  case network
  /// The disk cache, after the origin had confirmed the entry with 304.
  case revalidated
  /// The disk cache, without a request to the origin.
  case disk
  /// The memory cache.
  case memory
  /// The cache that several servers share.
  case sharedTier = "shared"
}

/// The freshness of the bytes that answered a load.
public enum LoadFreshness: String, Sendable, CaseIterable, Codable {
  /// The origin sent or confirmed them in this load.
  case current
  /// They were cached and fresh.
  case fresh
  /// They were stale, and the policy or the request allows stale ones.
  case stale
  /// They were stale and are revalidated in the background (RFC 5861 §3).
  case staleWhileRevalidating = "stale-while-revalidate"
  /// They were stale, and the origin failed (RFC 5861 §4).
  case staleOnError = "stale-if-error"
}
