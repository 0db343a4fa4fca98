/// Options for loading a document.
public struct DocumentOptions: Sendable, Hashable {
  /// Whether a request goes to the origin (with the kept `ETag` or date) even if the kept copy is
  /// fresh. Default: false.
  public var revalidates = false
  /// Whether requests to the origin are forbidden; a stale kept copy is then accepted, and a
  /// missing one is `not_cached`. Default: false.
  public var isOffline = false
  /// The `Referer` to send; `nil` leaves the choice to the rule of the host. Default: `nil`.
  public var referer: String?
  /// The `Accept` header. Default: anything.
  public var accept = "*/*"
  /// The largest body taken, in bytes after decoding. Default: 64 MiB.
  public var maximumByteCount = 64 << 20

  /// The defaults.
  public init() {}
}
