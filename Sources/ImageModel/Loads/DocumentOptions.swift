package struct DocumentOptions: Sendable, Hashable {
  /// Whether a request goes to the origin even if the kept copy is fresh.
  package var revalidates = false
  /// Whether no request goes to the origin: a stale kept copy is then accepted.
  package var isOffline = false
  package var referer: String?
  package var accept = "*/*"
  package var maximumByteCount = 64 << 20

  package init() {}
}
