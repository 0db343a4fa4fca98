/// One HTTP exchange for the ``CurlEngine``: no redirect, no retry.
struct TransferRequest: Sendable {
  /// Ready for the wire: `http` or `https`, percent-encoded.
  var url: String
  var method = "GET"
  /// Lines `Name: value`.
  var headers: [String] = []
  /// `nil` for none.
  var body: [UInt8]?
  var limits = FetchLimits()
  /// Whether gzip and br are accepted and undone.
  var acceptsCompression = false
  /// Whether the check of the connected address does not apply.
  var allowsAnyAddress = false
  /// Whether a body that is long or slow is handed over in chunks while it comes.
  var handsOver = false
  /// Bytes of the body that are there already, should the answer be a 206.
  var resumedByteCount = 0
  /// Advanced while the transfer runs.
  var meter: TransferMeter?
}
