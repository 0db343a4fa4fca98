import ImageModel

/// One HTTP exchange for the ``CurlEngine``: no redirect, no retry.
struct TransferRequest: Sendable {
  /// Ready for the wire: `http` or `https`, percent-encoded.
  var url: String
  var method = "GET"
  /// Lines `Name: value`, without line ends.
  var fieldLines: [[UInt8]] = []
  /// Cookies of the exchanges before in a chain of redirects, as ``TransferResult/cookies`` has them.
  var cookies: [[UInt8]] = []
  /// A file with users and passwords of hosts, which libcurl reads; `nil` for none.
  var netrcFile: String?
  var body: [UInt8]?
  var limits = FetchLimits()
  var acceptsCompression = false
  /// Whether the body is left as it came where the answer has a `Content-Encoding`.
  var keepsContentEncoding = false
  var allowsAnyAddress = false
  /// Whether a body that is long or slow is handed over in chunks while it comes.
  var handsOver = false
  /// Bytes of the body that are there already, should the answer be a 206.
  var resumedByteCount = 0
  /// Set for an exchange that is passed through as it is; see ``Passage``.
  var passage: Passage?
  var signature: Signature?
  var meter: TransferMeter?
  /// Receives whether the connection carries many exchanges at once (HTTP/2), as soon as that is
  /// known, on the engine's thread.
  var protocolKnown: (@Sendable (_ isMultiplexed: Bool) -> Void)?

  /// The bytes of its body that a transfer holds before it pauses. Many exchanges that are passed
  /// through may wait for slow clients at once.
  var bufferLimit: Int { passage != nil ? 64 << 10 : handsOver ? 256 << 10 : .max }
}

extension TransferRequest {
  /// How an exchange is passed through for a client: no field is added, no coding is undone, and
  /// the head, interim responses and bytes are handed over as soon as they arrive.
  struct Passage: Sendable {
    var target: String
    /// Provides the request body piece by piece, `nil` at its end; not called any more once the
    /// response is complete. An error that it throws ends the exchange.
    var body: (@Sendable () async throws -> [UInt8]?)?
    var bodyByteCount: Int?
    /// Whether it must not be sent twice: then a kept connection, which may be dead, is not used.
    var mustNotRepeat = false
  }

  /// How libcurl signs a request, by AWS Signature Version 4. The path of the URL is then sent
  /// unchanged, and every field line signed: each has a value, and no name begins with another one.
  struct Signature: Sendable {
    /// `aws:amz:REGION:SERVICE`.
    var scope: String
    var credentials: S3Credentials
  }
}
