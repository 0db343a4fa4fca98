/// How a load uses cached entries.
public enum CachePolicy: String, Sendable, CaseIterable {
  /// The rules of RFC 9111: a fresh entry is used, a stale one is revalidated. The default.
  case http
  /// An entry is used regardless of its age; a request goes to the origin only if there is no
  /// entry.
  case forever
  /// Even a fresh entry is revalidated.
  case revalidate
  /// No request goes to the origin; an entry is used regardless of its age.
  case onlyIfCached = "only-if-cached"
  /// The request goes to the origin without validators, and its response replaces the entry.
  case reload
}
