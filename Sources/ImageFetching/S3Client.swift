public import HTTPTypes
public import ImageModel

/// Reads, writes and deletes the objects of one bucket, with signed requests (AWS Signature
/// Version 4).
///
///     let client = try S3Client(bucket)
///     try await client.put("a/é.jpg", bytes, mediaType: "image/jpeg")
///     let object = try await client.get("a/é.jpg", range: 0..<1024)
///
/// Transient failures are retried within the deadline: failed connections, 429 and 5xx such as
/// `503 SlowDown`, whose `Retry-After` is observed. No redirect is followed. A client has one set
/// of connections and one thread; create one for a bucket and share it.
public final class S3Client: Sendable {
  /// The settings that all operations of a client share.
  public struct Configuration: Sendable {
    /// The time to connect, TLS included. Default: 10 s.
    public var connectTime = Duration.seconds(10)
    /// The time for an operation without a separate deadline, retries included. Default: 60 s.
    public var operationTime = Duration.seconds(60)
    /// The failures that are retried, and the delays.
    public var retryPolicy = RetryPolicy()
    /// The maximum bytes of an object that is read. Default: 64 MiB.
    public var maximumByteCount = 64 << 20
    /// Operations in flight at once; more wait. Default: 64.
    public var maximumTransfers = 64
    /// The certificates that the store may prove itself by. Default: the system's.
    public var certificates = TrustedCertificates()
    /// For example `http://proxy:3128`. Default: none, regardless of the environment.
    public var proxy: String?
    package var clock = HTTPFetcher.Clock()

    /// The defaults.
    public init() {}
  }

  /// The status (200, 206 for a range, 304 for a condition that did not hold) and the fields of a
  /// response, `ETag` and `Last-Modified` among them, and its bytes as they are stored, a
  /// `Content-Encoding` included; none for 304 and for writes.
  public typealias Response = (head: ResponseHead, bytes: [UInt8])

  /// The bucket.
  public let bucket: S3Bucket
  private let configuration: Configuration
  private let engine: CurlEngine

  /// Starts a client with its thread.
  ///
  /// - Throws: `ImageError` with code `outOfMemory`.
  public init(
    _ bucket: S3Bucket, _ configuration: Configuration = Configuration()
  ) throws(ImageError) {
    self.bucket = bucket
    self.configuration = configuration
    engine = try CurlEngine(
      CurlEngine.Configuration(
        maximumTransfers: configuration.maximumTransfers, proxy: configuration.proxy,
        certificates: configuration.certificates))
  }

  /// Cancels the operations in flight, closes all connections and waits until the thread has ended.
  public func shutdown() async { await engine.shutdown() }

  /// Reads an object, or a part of it.
  ///
  /// - Parameters:
  ///   - key: The key, any Unicode text of 1 to 1024 bytes of UTF-8; it is not normalised.
  ///   - range: The bytes wanted, not empty; fewer come where the object ends before. Default: all.
  ///   - ifNoneMatch: An entity tag as the store gave it; where it is still that of the object, the
  ///     response is a 304 without bytes. Default: none.
  ///   - ifModifiedSince: The same by time. Default: none.
  ///   - deadline: When the operation ends in any case, retries included. Default:
  ///     ``Configuration/operationTime`` from now.
  /// - Returns: A response with status 200, 206 or 304. A store that ignores ranges answers 200.
  /// - Throws: `ImageError`: `httpStatus` with the status and, as its cause, the ``S3Failure``:
  ///   404 `NoSuchKey` and `NoSuchBucket`, 403 `AccessDenied` and others, 416 for a range behind the
  ///   end; `invalidURL` for a key that cannot be one, `invalidArgument` for an empty range,
  ///   `timedOut` at the deadline, `tooLarge`, or a code of the network. `CancellationError`.
  public func get(
    _ key: String, range: Range<Int>? = nil, ifNoneMatch: String? = nil,
    ifModifiedSince: Date? = nil, deadline: ContinuousClock.Instant? = nil
  ) async throws -> Response {
    var fields = HTTPFields()
    if let range {
      guard !range.isEmpty, range.lowerBound >= 0 else {
        let url = try address(key).description
        throw ImageError(.invalidArgument, "an empty range of \(url) was requested", url: url)
      }
      fields[.range] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
    }
    fields[.ifNoneMatch] = ifNoneMatch
    fields[.ifModifiedSince] = ifModifiedSince.map { HTTPDate.format($0) }
    let hasCondition = ifNoneMatch != nil || ifModifiedSince != nil
    let response = try await perform("GET", key, fields, nil, deadline) { status in
      status == 200 || status == 206 && range != nil || status == 304 && hasCondition
    }
    if response.head.status == 206 {
      let part = response.head.fields[.contentRange].flatMap { HTTPContentRange($0) }
      guard let part, let range, part.bytes.lowerBound == range.lowerBound,
        part.bytes.upperBound <= range.upperBound, part.bytes.count == response.bytes.count
      else {
        let url = response.head.url
        throw ImageError(
          .protocolError, "\(url): the store sent another part than was requested", url: url)
      }
    }
    return response
  }

  /// Writes an object, in place of one that has the key already.
  ///
  /// The SHA-256 of the body is signed, so that a store refuses bytes that were changed on the way.
  /// A body above 1 MiB costs one more round trip (`Expect: 100-continue`).
  ///
  /// - Parameters:
  ///   - key: As in ``get(_:range:ifNoneMatch:ifModifiedSince:deadline:)``.
  ///   - body: The bytes; none is allowed.
  ///   - mediaType: `Content-Type`. Default: `application/octet-stream`.
  ///   - fields: The fields that the store keeps and returns, such as `Cache-Control` and
  ///     `x-amz-meta-…`. No name may begin with another one. Default: none.
  ///   - deadline: As there.
  /// - Returns: A response without bytes, usually with the `ETag`.
  /// - Throws: As there; `invalidArgument` for fields that cannot be sent.
  @discardableResult
  public func put(
    _ key: String, _ body: [UInt8], mediaType: String = "application/octet-stream",
    fields: HTTPFields = [:], deadline: ContinuousClock.Instant? = nil
  ) async throws -> Response {
    if let fault = S3Object.fault(in: fields) { throw ImageError(.invalidArgument, fault) }
    guard HTTPField.isValidValue(mediaType), !mediaType.isEmpty else {
      throw ImageError(.invalidArgument, "\"\(mediaType)\" is not a media type")
    }
    var fields = fields
    fields[.contentType] = mediaType
    return try await perform("PUT", key, fields, body, deadline) { (200..<300).contains($0) }
  }

  /// Deletes an object. One that does not exist is not an error.
  ///
  /// - Parameters:
  ///   - key: As in ``get(_:range:ifNoneMatch:ifModifiedSince:deadline:)``.
  ///   - deadline: As there.
  /// - Throws: As there; a `NoSuchBucket` is an error.
  public func delete(_ key: String, deadline: ContinuousClock.Instant? = nil) async throws {
    do {
      _ = try await perform("DELETE", key, [:], nil, deadline) { (200..<300).contains($0) }
    } catch let error as ImageError where (error.cause as? S3Failure)?.code == "NoSuchKey" {
      return
    }
  }

  private func address(_ key: String) throws(ImageError) -> S3Address {
    try S3Address(bucket: bucket.name, key: key)
  }

  // MARK: Attempts

  private func perform(
    _ method: String, _ key: String, _ fields: HTTPFields, _ body: [UInt8]?,
    _ deadline: ContinuousClock.Instant?, accepts: (Int) -> Bool
  ) async throws -> Response {
    let object = S3Object(bucket: bucket, address: try address(key))
    let url = object.address.description
    let deadline = deadline ?? .now + configuration.operationTime
    var retryCount = 0
    while true {
      try Task.checkCancellation()
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero else {
        throw ImageError(.timedOut, "\(url): the deadline has passed", url: url)
      }
      // Signed again at each attempt: those of a role may have been renewed.
      let credentials = try await object.credentials(through: engine, within: rest)
      var transfer = object.transfer(method, fields: fields, body: body, signedWith: credentials)
      transfer.limits.maximumByteCount = configuration.maximumByteCount
      transfer.keepsContentEncoding = true
      transfer.limits.totalTime = rest
      transfer.limits.connectTime = min(configuration.connectTime, rest)
      transfer.limits.lowSpeedTime = rest
      let result = try await engine.perform(transfer)
      if result.outcome == .cancelled { try Task.checkCancellation() }
      do throws(ImageError) {
        return try response(of: result, object.bucket, url, accepts)
      } catch {
        let policy = configuration.retryPolicy
        guard policy.retriesSilence || !result.wasSilent,
          let delay = policy.delay(
            after: error, retryCount: retryCount, chance: configuration.clock.chance()),
          ContinuousClock.now.advanced(by: delay) < deadline
        else { throw error }
        try await configuration.clock.sleep(delay)
      }
      retryCount += 1
    }
  }

  private func response(
    of result: TransferResult, _ bucket: S3Bucket, _ url: String, _ accepts: (Int) -> Bool
  ) throws(ImageError) -> Response {
    let fields = HeadParser.fields(of: result.head)
    // A status that is an error says more than how its body ended.
    if result.isHeadWhole, result.status >= 300, !accepts(result.status) {
      throw S3Failure.error(
        status: result.status, fields: fields, body: result.body, for: bucket, url: url)
    }
    if let error = FetchFailure.error(for: result, url: url) { throw error }
    guard accepts(result.status) else {
      throw ImageError(
        .protocolError, "\(url): the store answered \(result.status) to \(bucket)", url: url)
    }
    return (ResponseHead(url: url, status: result.status, fields: fields), result.body)
  }
}
