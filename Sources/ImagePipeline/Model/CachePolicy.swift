/// How far a load may trust what is kept.
public enum CachePolicy: String, Sendable, CaseIterable {
  /// The rules of RFC 9111: a fresh entry is used, a stale one is revalidated. The default.
  case http
  /// Whatever is kept is used, however old; the origin is asked only when nothing is.
  case forever
  /// The origin is asked even for a fresh entry, with its validators.
  case revalidate
  /// The origin is never asked; what is kept is used, however old.
  case onlyIfCached = "only-if-cached"
  /// The origin is asked without validators, and its answer replaces what is kept.
  case reload
}
