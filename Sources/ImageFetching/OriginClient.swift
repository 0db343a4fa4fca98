import HTTPTypes
public import ImageModel
import LoadScheduling

/// Passes requests on to one origin and hands back what comes while it comes: interim answers, the
/// head, the bytes.
///
/// Nothing is followed, retried, added or undone. The origin was configured by the operator, so it
/// may be at any address.
public final class OriginClient: Sendable {
  /// How long a part of an exchange may take, and how many there are at once.
  public struct Limits: Sendable {
    /// The maximum number of exchanges at once. Default: 1,024.
    public var maximumExchanges = 1024
    /// How many of those are never taken by requests with a body, which their clients may send
    /// slowly. Default: 256.
    public var reservedWithoutBody = 256
    /// How long an exchange may wait for others to end. Default: 5 s.
    public var waitTime = Duration.seconds(5)
    /// The time to connect. Default: 10 s.
    public var connectTime = Duration.seconds(10)
    /// The time in which nothing may come while something is awaited. Default: 60 s.
    public var silence = Duration.seconds(60)
    /// The defaults.
    public init() {}
  }

  /// Scheme, host and port.
  public var origin: String { url.origin }
  private let url: WebURL
  /// The prefix of every target; empty or a path without its last slash.
  public let pathPrefix: String
  private let limits: FetchLimits
  /// Sent with every request but a TRACE; replaces the request's fields of these names.
  private let originFields: HTTPFields
  private let engine: CurlEngine
  private let queue: JobQueue

  /// Starts a client with its thread.
  ///
  /// - Parameters:
  ///   - origin: An http or https URL; its path goes before every target.
  ///   - limits: The limits of exchanges.
  ///   - headers: Fields for certain hosts; those of the origin's replace the requests' own.
  ///   - certificates: Those that the origin may prove itself by. Default: the system's.
  /// - Throws: `ImageError` with code `invalidArgument` for anything else, or
  ///   `outOfMemory`.
  public init(
    origin: String, limits: Limits = Limits(), headers: OriginHeaders = OriginHeaders(),
    certificates: TrustedCertificates = TrustedCertificates()
  ) throws(ImageError) {
    guard let url = WebURL(origin), url.credentials == nil, !url.target.contains("?") else {
      throw ImageError(
        .invalidArgument, "'\(origin)' is not an origin; use an http or https URL without a query")
    }
    self.url = url
    originFields = headers.sent(along: [url]).fields
    pathPrefix = url.target.hasSuffix("/") ? String(url.target.dropLast()) : url.target
    var fetchLimits = FetchLimits()
    fetchLimits.connectTime = limits.connectTime
    fetchLimits.lowSpeedTime = limits.silence
    fetchLimits.lowSpeedByteCount = 1
    fetchLimits.totalTime = .seconds(1 << 32)
    fetchLimits.maximumByteCount = .max
    self.limits = fetchLimits
    var waiting = WaitLimits()
    waiting.maximumTime = limits.waitTime
    queue = JobQueue(
      maximumRunning: limits.maximumExchanges, reservedForForeground: limits.reservedWithoutBody,
      waiting: waiting)
    engine = try CurlEngine(
      CurlEngine.Configuration(
        maximumTransfers: limits.maximumExchanges, certificates: certificates))
  }

  /// The exchanges in flight.
  public var runningCount: Int { queue.runningCount }
  /// The exchanges that wait for others.
  public var waitingCount: Int { queue.pendingCount }

  /// Cancels the exchanges in flight and closes all connections, without waiting for that.
  public func stop() { engine.stop() }

  /// Cancels the exchanges in flight, closes all connections and waits until the thread has ended.
  public func shutdown() async { await engine.shutdown() }

  /// Makes one exchange. `receive` gets what comes, in order, never two at a time; the origin waits
  /// when it falls behind. What it throws ends the exchange.
  ///
  /// - Throws: `ImageError` when the origin gave no whole answer, with code `saturated` when too
  ///   many exchanges are in flight; `CancellationError`, or what `receive` throws.
  public func exchange(
    _ request: OriginRequest, receive: (OriginEvent) async throws -> Void
  ) async throws {
    try await queue.run(priority: .constant(request.body == nil ? .normal : .prefetch)) {
      try await carryOut(request, receive)
    }
  }

  private func carryOut(
    _ request: OriginRequest, _ receive: (OriginEvent) async throws -> Void
  ) async throws {
    let target = request.target == "*" ? "*" : pathPrefix + request.target
    let transfer = TransferRequest(
      url: url.origin + "/", method: request.method,
      // The response to a TRACE has the fields of the request (RFC 9110 §9.3.8).
      fieldLines: request.lines(replacedBy: request.method == "TRACE" ? [:] : originFields),
      limits: limits, allowsAnyAddress: true, handsOver: true,
      passage: TransferRequest.Passage(
        target: target, body: request.body, bodyByteCount: request.bodyByteCount,
        mustNotRepeat: !request.mayBeRepeated))
    var hasHead = false
    let result = try await engine.perform(transfer) { event in
      switch event {
      case .interim(let heads): try await Self.interim(heads, receive)
      case .head(let status, let head):
        hasHead = true
        try await receive(.head(status: status, fields: HeadParser.fields(of: head)))
      case .chunk(_, _, let bytes): try await receive(.bytes(bytes))
      case .finished: break
      }
    }
    if result.outcome == .cancelled, Task.isCancelled { throw CancellationError() }
    try await Self.interim(result.interim, receive)
    if !hasHead, result.status >= 200, result.isHeadWhole {
      try await receive(.head(status: result.status, fields: HeadParser.fields(of: result.head)))
    }
    if !result.body.isEmpty { try await receive(.bytes(result.body)) }
    if let error = FetchFailure.error(for: result, url: url.origin + target) { throw error }
  }

  private static func interim(
    _ heads: [UInt8], _ receive: (OriginEvent) async throws -> Void
  ) async throws {
    for (status, fields) in HeadParser.interim(heads) {
      try await receive(.interim(status: status, fields: fields))
    }
  }
}
