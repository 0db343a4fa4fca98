/// How a load uses cached entries.
public enum CachePolicy: String, Sendable, CaseIterable {
  /// The rules of RFC 9111: a fresh entry is used, a stale one is revalidated. The default.
  case http
  /// An entry is used, however old; the origin is asked only where there is none.
  case forever
  /// Even a fresh entry is revalidated.
  case revalidate
  /// The origin is never asked; an entry is used, however old.
  case onlyIfCached = "only-if-cached"
  /// The origin is asked without validators, and its response replaces the entry.
  case reload
}
