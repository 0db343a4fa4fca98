import CachePolicies
import HTTPCaching
import HTTPListening
import HTTPTypes
import Hummingbird
import ImageModel
import ImagePipeline
import NIOCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Answers `/thumb` and `/image`: with the image that the parameters describe, or with a problem or
/// a placeholder if it is unavailable.
struct ImageRoutes: Sendable {
  let pipeline: ImagePipeline
  let sources: SourcePermission
  let memory: ResponseCache
  let memoryClock: @Sendable () -> UInt64
  let rules: ThumbnailRules
  let signer: URLSigner?
  let grace: StaleGrace
  let placeholders: Placeholders
  /// Bounds the bytes in flight, from origins and to clients.
  let governor: MemoryGovernor
  let clock: @Sendable () -> Date

  /// Adds the routes.
  func add(to routes: RouteBuilder, _ router: Router<ServerContext>) {
    routes.get("/thumb", router) { try await answer(.thumbnail, $0.head) }
    routes.get("/image", router) { try await answer(.original, $0.head) }
  }

  /// The image that a path serves.
  enum Kind: Sendable {
    case thumbnail, original
  }

  /// The response to a `GET` or `HEAD`.
  ///
  /// - Throws: `CancellationError` if the client has disconnected.
  func answer(_ kind: Kind, _ request: HTTPRequest) async throws -> Answer {
    let target = request.path ?? ""
    let accepted = ContentNegotiation(accept: request.headerFields[values: .accept])
    do throws(Problem) {
      let query = try QueryPairs(target: target)
      let end = try verify(query)
      let wanted =
        switch kind {
        case .thumbnail:
          try ThumbnailParameters.thumbnail(query, accepting: accepted, rules: rules)
        case .original: try ThumbnailParameters.original(query)
        }
      do throws(Problem) {
        let image = try await image(wanted)
        return try answer(image, wanted, to: request, target, accepted, signatureEnd: end)
      } catch {
        // A deliberate refusal stays one; an unavailable image gets a placeholder.
        guard wanted.wantsPlaceholder, !Self.deliberate.contains(error.status),
          let placeholder = await placeholders.answer(for: wanted)
        else { throw error }
        return placeholder
      }
    } catch {
      if error.code == Self.cancelled.code { throw CancellationError() }
      return error.answer
    }
  }

  private static let deliberate: [HTTPResponse.Status] = [
    .badRequest, .forbidden, .preconditionFailed,
  ]

  // MARK: The image

  private func image(_ wanted: ThumbnailParameters) async throws(Problem) -> Representation {
    var request = ImageRequest(url: wanted.url)
    request.cachePolicy = try await sources.policy(for: wanted.url)
    do {
      // Nothing new is started while too many bytes are in flight.
      _ = try governor.admit(0)
      if wanted.recipe != nil {
        request.thumbnail = wanted.recipe
        request.storage = .both
      }
      var image = try await sources.representation(of: try await pipeline.data(for: request))
      image.isNegotiated = wanted.isNegotiated
      return image
    } catch let error as ImageError {
      throw Problem(error)
    } catch {
      throw Self.cancelled
    }
  }

  private static let cancelled = Problem(.internalServerError, "cancelled", "The client has left.")

  /// When the signature ends, in Unix seconds; `nil` for never, or if none is required.
  private func verify(_ query: QueryPairs) throws(Problem) -> Int? {
    guard let signer else { return nil }
    switch signer.judge(query, now: Int(clock().timeIntervalSince1970)) {
    case .good(let end): return end
    case .refused:
      throw Problem(.forbidden, "bad_signature", "The signature is missing, wrong or expired.")
    }
  }

  // MARK: The response

  private func answer(
    _ image: Representation, _ wanted: ThumbnailParameters, to request: HTTPRequest,
    _ target: String, _ accepted: ContentNegotiation, signatureEnd: Int?
  ) throws(Problem) -> Answer {
    let now = clock()
    let fields = fields(of: image, at: now, until: signatureEnd)
    let stored = StoredResponse(
      status: 200, fields: fields, requestTime: image.original.requestTime,
      responseTime: image.original.responseTime, byteCount: image.content.byteCount)
    var asked = HTTPCacheRequest(method: request.method.rawValue, fields: request.headerFields)
    // Preconditions of writes, which a cache would forward: this is the origin (RFC 9110 §13.1.1,
    // §13.1.4).
    guard asked.isAnswerable || HTTPPresentation.preconditionsHold(asked, for: stored) else {
      throw Problem(.preconditionFailed, "precondition_failed", "The image has changed.")
    }
    asked.fields[.ifMatch] = nil
    asked.fields[.ifUnmodifiedSince] = nil
    var presented = HTTPPresentation(stored, for: asked, at: now, isShared: true)
    if !image.lifetime.isFresh(at: now) { presented.fields[.age] = nil }
    store(image, wanted, fields, target, accepted, now, signatureEnd)
    let status = HTTPResponse.Status(code: presented.status)
    if status == .rangeNotSatisfiable {
      var answer = Self.noSuchRange.answer
      answer.fields[.contentRange] = presented.fields[.contentRange]
      return answer
    }
    switch presented.body {
    case .none:
      presented.fields[.contentLength] =
        status == .notModified ? nil : String(image.content.byteCount)
      return Answer(status: status, fields: presented.fields)
    case .bytes(let range):
      var answer = Answer(
        status: status, fields: presented.fields, body: body(of: image, range))
      if case .bytes = image.content { answer.reservation = governor.reserve(range.count) }
      return answer
    }
  }

  /// Without the image's fields, which would let caches reuse it for every other range.
  private static let noSuchRange = Problem(
    .rangeNotSatisfiable, "range_not_satisfiable", "The image has no such bytes.")

  private func fields(
    of image: Representation, at now: Date, until signatureEnd: Int?
  ) -> HTTPFields {
    var fields: HTTPFields = [
      .contentType: image.format?.mediaType ?? "application/octet-stream",
      .acceptRanges: "bytes",
      .cacheControl: image.cacheControl(at: now, grace: grace, until: signatureEnd),
      .lastModified: HTTPDate.format(image.lastModified(at: now)),
    ]
    fields[.eTag] = "\"\(image.hash.hex.prefix(32))\""
    fields[.cacheStatus] = image.cacheStatus(at: now)
    fields[.serverTiming] = image.serverTiming
    if image.isNegotiated { fields[.vary] = "Accept" }
    // The age counts from these.
    fields[.date] = image.original.headers.first("date")
    fields[.age] = image.original.headers.first("age")
    SafetyFields.add(to: &fields)
    return fields
  }

  private func body(of image: Representation, _ range: Range<Int>) -> Answer.Body {
    switch image.content {
    case .bytes(let bytes): .bytes(ByteBuffer(bytes: bytes[range]))
    case .file(let path, _): .file(path: path, range)
    }
  }

  /// Stores the response in memory if it may be sent again.
  private func store(
    _ image: Representation, _ wanted: ThumbnailParameters, _ fields: HTTPFields,
    _ target: String, _ accepted: ContentNegotiation, _ now: Date, _ signatureEnd: Int?
  ) {
    guard case .bytes(let bytes) = image.content, !image.original.isAlwaysStale
    else { return }
    let freshness = image.lifetime
    guard freshness.isFresh(at: now) else { return }
    var lifetime = freshness.remaining(at: now)
    if let signatureEnd {
      lifetime = min(lifetime, Double(signatureEnd) - now.timeIntervalSince1970)
    }
    var fields = fields
    fields[.cacheStatus] = Self.statusOfMemoryHit
    fields[.serverTiming] = nil
    let response = ReadyResponse(
      key: CacheTraceLine.key(of: wanted.url, variant: wanted.recipe?.identity), fields,
      body: ByteBuffer(bytes: bytes), age: freshness.age(at: now), now: memoryClock())
    guard let response else { return }
    memory.insert(response, for: target, accepting: { accepted }, lifetime: lifetime)
  }

  private static let statusOfMemoryHit: String = {
    var status = CacheStatus(.hit)
    status.detail = "memory"
    return status.description
  }()
}
