/// How a document is to be loaded.
public struct DocumentOptions: Sendable, Hashable {
  /// Ask the origin (with the kept `ETag` or date) even when the kept copy is fresh. Default:
  /// false.
  public var revalidates = false
  /// Never ask the origin; a stale kept copy is good enough, none is `not_cached`. Default: false.
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
