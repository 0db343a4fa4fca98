import HTTPTypes
import ImageModel

struct S3Object: Sendable {
  let bucket: S3Bucket
  let address: S3Address
  var url: WebURL { bucket.url(of: address.path) }

  /// Makes a signed request: every line is signed but `Host`, `X-Amz-Date`, `User-Agent`,
  /// `Accept-Encoding` and what frames the body. For the fields see ``fault(in:)``.
  func transfer(
    _ method: String, fields: HTTPFields, body: [UInt8]? = nil,
    signedWith credentials: S3Credentials
  ) -> TransferRequest {
    let hash = (body ?? []).withUnsafeBytes { SHA256.hash(of: $0) }.hex
    var lines = fields.filter { !$0.value.isEmpty }.map(\.line)
    lines.append(Array("x-amz-content-sha256: \(hash)".utf8))
    if let token = credentials.sessionToken {
      lines.append(Array("x-amz-security-token: \(token)".utf8))
    }
    return TransferRequest(
      url: url.text, method: method, fieldLines: lines, body: body, allowsAnyAddress: true,
      signature: TransferRequest.Signature(
        scope: "aws:amz:\(bucket.region):s3", credentials: credentials))
  }

  /// Returns the credentials for a request, waiting for those of a role for at most `time`. An error
  /// names the object.
  func credentials(through engine: CurlEngine, within time: Duration) async throws -> S3Credentials
  {
    switch bucket.signer {
    case .keys(let credentials): return credentials
    case .role(let role):
      do {
        return try await role.credentials(through: engine, within: time)
      } catch let error as ImageError {
        throw ImageError(error.code, "\(address): \(error.message)", url: address.description)
      }
    }
  }

  /// The fields of a fetch that mean something to a store: ranges, conditions, the trace.
  static func fields(of request: FetchRequest, range: HTTPFields) -> HTTPFields {
    var fields: HTTPFields = [.accept: "*/*"]
    for field in request.headers where sent.contains(field.name.canonicalName) {
      fields.replace(with: field)
    }
    for field in range { fields.replace(with: field) }
    return fields
  }

  static func fault(in fields: HTTPFields) -> String? {
    var names: Set<String> = []
    for field in fields {
      let name = field.name.canonicalName
      guard !reserved.contains(name), !field.name.rawName.hasPrefix(":") else {
        return "the program sets the field \(field.name.rawName) itself"
      }
      guard !field.value.isEmpty else { return "the field \(field.name.rawName) is empty" }
      guard names.insert(name).inserted else { return "repeated field \(field.name.rawName)" }
    }
    // libcurl 7.88 sorts whole lines, in which the colon is behind the hyphen and the digits.
    let sorted = (names + added).sorted()
    for (one, other) in zip(sorted, sorted.dropFirst()) where other.hasPrefix(one) {
      return "the name \(other) begins with the name \(one), which libcurl does not sign correctly"
    }
    return nil
  }

  private static let added = [
    "content-type", "host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token",
  ]

  private static let sent: Set<String> = [
    "accept", "range", "if-match", "if-modified-since", "if-none-match", "if-range",
    "if-unmodified-since", "traceparent", "tracestate",
  ]

  private static let reserved: Set<String> = [
    "accept-encoding", "authorization", "connection", "content-length", "content-type", "cookie",
    "expect", "host", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade",
    "user-agent", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token",
  ]
}
