/// Options for loading a document.
package struct DocumentOptions: Sendable, Hashable {
  /// Whether a request goes to the origin (with the kept `ETag` or date) even if the kept copy is
  /// fresh. Default: false.
  package var revalidates = false
  /// Whether requests to the origin are forbidden; a stale kept copy is then accepted, and a
  /// missing one is `not_cached`. Default: false.
  package var isOffline = false
  /// The `Referer` to send; `nil` leaves the choice to the rule of the host. Default: `nil`.
  package var referer: String?
  /// The `Accept` header. Default: anything.
  package var accept = "*/*"
  /// The largest body taken, in bytes after decoding. Default: 64 MiB.
  package var maximumByteCount = 64 << 20

  /// The defaults.
  package init() {}
}
