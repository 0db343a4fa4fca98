import HTTPListening
import HTTPTypes
import Hummingbird
import ImagePipeline
import NIOCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Answers `/thumb` and `/image`: from the parameters to a picture, and from its failure to a
/// problem or a placeholder.
struct PictureAnswers: Sendable {
  let pipeline: ImagePipeline
  let sources: SourcePermission
  let hot: HotAnswers
  let rules: ThumbnailRules
  let signer: URLSigner?
  let grace: StaleGrace
  let placeholders: Placeholders
  /// Bounds the bytes that are on their way, from origins and to clients.
  let governor: MemoryGovernor
  let clock: @Sendable () -> Date

  /// Adds the routes.
  func add(to routes: RouteBuilder, _ router: Router<ServerContext>) {
    routes.get("/thumb", router) { try await answer(.thumbnail, $0.head) }
    routes.get("/image", router) { try await answer(.original, $0.head) }
  }

  /// Which picture a path stands for.
  enum Kind: Sendable {
    case thumbnail, original
  }

  /// The answer to a `GET` or `HEAD`.
  ///
  /// - Throws: `CancellationError` when the client has left.
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
        let picture = try await picture(wanted)
        return try answer(picture, wanted, to: request, target, accepted, signatureEnd: end)
      } catch {
        // What is refused on purpose stays refused; what cannot be had gets a stand-in.
        guard wanted.wantsPlaceholder, !Self.deliberate.contains(error.status),
          let stand = await placeholders.answer(for: wanted)
        else { throw error }
        return stand
      }
    } catch {
      if error.code == Self.cancelled.code { throw CancellationError() }
      return error.answer
    }
  }

  private static let deliberate: [HTTPResponse.Status] = [
    .badRequest, .forbidden, .preconditionFailed,
  ]

  // MARK: The picture

  private func picture(_ wanted: ThumbnailParameters) async throws(Problem) -> Representation {
    var request = ImageRequest(url: wanted.url)
    request.cachePolicy = try await sources.policy(for: wanted.url)
    do {
      // Where too much is on its way, nothing new is begun.
      _ = try governor.admit(0)
      if let recipe = wanted.recipe {
        return Representation(
          try await pipeline.thumbnail(for: request, recipe), isNegotiated: wanted.isNegotiated)
      }
      let data = try await pipeline.provenData(for: request)
      return try await sources.representation(of: data)
    } catch let error as ImageError {
      throw Problem(error)
    } catch {
      throw Self.cancelled
    }
  }

  private static let cancelled = Problem(.internalServerError, "cancelled", "The client has left.")

  /// When the signature ends, in Unix seconds; `nil` for never, or where none is wanted.
  private func verify(_ query: QueryPairs) throws(Problem) -> Int? {
    guard let signer else { return nil }
    switch signer.judge(query, now: Int(clock().timeIntervalSince1970)) {
    case .good(let end): return end
    case .refused:
      throw Problem(.forbidden, "bad_signature", "The signature is missing, wrong or over.")
    }
  }

  // MARK: The answer

  private func answer(
    _ picture: Representation, _ wanted: ThumbnailParameters, to request: HTTPRequest,
    _ target: String, _ accepted: ContentNegotiation, signatureEnd: Int?
  ) throws(Problem) -> Answer {
    let now = clock()
    let fields = fields(of: picture, at: now, until: signatureEnd)
    let stored = StoredAnswer(
      status: 200, fields: fields, requestTime: picture.original.requestTime,
      responseTime: picture.original.responseTime, byteCount: picture.content.byteCount)
    var asked = HTTPCacheRequest(method: request.method.rawValue, fields: request.headerFields)
    // Preconditions of writes, which a cache would pass on: here is the end (RFC 9110 §13.1.1,
    // §13.1.4).
    guard asked.isAnswerable || HTTPPresentation.preconditionsHold(asked, for: stored) else {
      throw Problem(.preconditionFailed, "precondition_failed", "The picture is another one.")
    }
    asked.fields[.ifMatch] = nil
    asked.fields[.ifUnmodifiedSince] = nil
    var presented = HTTPPresentation(stored, for: asked, at: now, isShared: true)
    if !picture.lifetime.isFresh(at: now) { presented.fields[.age] = nil }
    keepHot(picture, wanted, fields, target, accepted, now, signatureEnd)
    let status = HTTPResponse.Status(code: presented.status)
    if status == .rangeNotSatisfiable {
      var answer = Self.noSuchRange.answer
      answer.fields[.contentRange] = presented.fields[.contentRange]
      return answer
    }
    switch presented.body {
    case .none:
      presented.fields[.contentLength] =
        status == .notModified ? nil : String(picture.content.byteCount)
      return Answer(status: status, fields: presented.fields)
    case .bytes(let range):
      var answer = Answer(
        status: status, fields: presented.fields, body: body(of: picture, range))
      if case .bytes = picture.content { answer.reservation = governor.reserve(range.count) }
      return answer
    }
  }

  /// Not with the picture's fields: what may be kept of it would answer for every other range, too.
  private static let noSuchRange = Problem(
    .rangeNotSatisfiable, "range_not_satisfiable", "The picture has no such bytes.")

  private func fields(
    of picture: Representation, at now: Date, until signatureEnd: Int?
  ) -> HTTPFields {
    var fields: HTTPFields = [
      .contentType: picture.format?.mediaType ?? "application/octet-stream",
      .acceptRanges: "bytes",
      .cacheControl: picture.cacheControl(at: now, grace: grace, until: signatureEnd),
      .lastModified: HTTPDate.format(picture.lastModified(at: now)),
    ]
    fields[.eTag] = "\"\(picture.hash.hex.prefix(32))\""
    fields[.cacheStatus] = picture.cacheStatus(at: now)
    fields[.serverTiming] = picture.serverTiming
    if picture.isNegotiated { fields[.vary] = "Accept" }
    // What the age is counted from.
    fields[.date] = picture.original.headers.first("date")
    fields[.age] = picture.original.headers.first("age")
    SafetyFields.add(to: &fields)
    return fields
  }

  private func body(of picture: Representation, _ range: Range<Int>) -> Answer.Body {
    switch picture.content {
    case .bytes(let bytes): .bytes(ByteBuffer(bytes: bytes[range]))
    case .file(let path, _): .file(path: path, range)
    }
  }

  private func keepHot(
    _ picture: Representation, _ wanted: ThumbnailParameters, _ fields: HTTPFields,
    _ target: String, _ accepted: ContentNegotiation, _ now: Date, _ signatureEnd: Int?
  ) {
    guard case .bytes(let bytes) = picture.content, !picture.original.isAlwaysStale
    else { return }
    let freshness = picture.lifetime
    var lifetime = min(HotAnswers.longestBelief, freshness.remaining(at: now))
    if let signatureEnd {
      lifetime = min(lifetime, Double(signatureEnd) - now.timeIntervalSince1970)
    }
    guard freshness.isFresh(at: now) else { return }
    var hotFields = fields
    hotFields[.cacheStatus] = Self.statusOfMemoryHit
    hotFields[.serverTiming] = nil
    let answer = HotAnswer(
      key: AccessLine.key(of: wanted.url, variant: wanted.recipe?.identity), hotFields,
      body: ByteBuffer(bytes: bytes), age: freshness.age(at: now), lifetime: lifetime,
      now: hot.clock())
    if let answer { hot.keep(answer, for: target) { accepted } }
  }

  private static let statusOfMemoryHit: String = {
    var status = CacheStatus(.hit)
    status.detail = "memory"
    return status.description
  }()
}

extension HTTPField.Name {
  /// RFC 9211.
  static let cacheStatus = Self("Cache-Status") ?? .via
  /// Server Timing, W3C.
  static let serverTiming = Self("Server-Timing") ?? .via
}
