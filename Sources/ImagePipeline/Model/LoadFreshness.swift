/// How far the bytes that answered a load could be trusted.
public enum LoadFreshness: String, Sendable, CaseIterable, Codable {
  /// They came from the origin just now, or it confirmed them just now.
  case current
  /// They were kept, and the origin's word on how long they hold has not run out.
  case fresh
  /// They were stale, and the policy or the request takes stale ones.
  case stale
  /// They were stale; the origin is being asked meanwhile (RFC 5861 §3).
  case staleWhileRevalidating = "stale-while-revalidate"
  /// They were stale, and the origin failed (RFC 5861 §4).
  case staleOnError = "stale-if-error"
}
