import CachePolicies
import DiskCaching
import HTTPCaching
import HTTPListening
import HTTPTypes
import ImageModel
import ImagePipeline
import NIOCore

/// Answers `/thumb` and `/image`: with the image that the parameters describe, or with a problem or
/// a placeholder if it is unavailable.
struct ImageRoutes: Sendable {
  let pipeline: ImagePipeline
  let sources: SourcePermission
  let memory: ResponseMemory
  let rules: RulesInForce
  let placeholders: Placeholders
  let information: ImageInformation
  /// Bounds the bytes in flight, from origins and to clients.
  let governor: MemoryGovernor
  let refusals: RefusalLog
  let clock: @Sendable () -> Date
  /// The path that clients see in front of that of a request; it is signed, too.
  var prefix = ""

  func add(to routes: inout RouteTable) {
    routes.get("/thumb") { try await answer(.thumbnail, $0.head) }
    routes.get("/image") { try await answer(.original, $0.head) }
    routes.get("/info") { try await answer(.information, $0.head) }
  }

  enum Kind: Sendable {
    case thumbnail, original, information
  }

  /// The properties on which the response to a request depends besides its image.
  private struct Asked {
    let request: HTTPRequest
    let rules: ServingRules
    /// See ``ResponseMemory/epoch``.
    let epoch: UInt64
    let accepted: ContentNegotiation
    var permit = Permit.free

    var target: String { request.path ?? "" }
  }

  private enum Permit: Hashable {
    /// No permit is required.
    case free
    /// A signature that ends then, in Unix seconds; `nil` for never.
    case signature(until: Int?)
    /// An admin key in place of a signature: no cache may keep the response for others.
    case adminKey

    var end: Int? { if case .signature(let end) = self { end } else { nil } }
  }

  func answer(_ kind: Kind, _ request: HTTPRequest) async throws -> Answer {
    // Before the rules: what these permit does not enter memory after others are in force.
    let epoch = memory.epoch
    var asked = Asked(
      request: request, rules: rules.current, epoch: epoch,
      accepted: ContentNegotiation(accept: request.headerFields[values: .accept]))
    do throws(Problem) {
      let query = try QueryPairs(target: prefix + asked.target)
      asked.permit = try verify(query, asked)
      let wanted =
        switch kind {
        case .thumbnail:
          try ThumbnailParameters.thumbnail(
            query, accepting: asked.accepted, rules: asked.rules.thumbnails)
        case .original, .information: try ThumbnailParameters.original(query)
        }
      do throws(Problem) {
        let image = try await image(wanted, asked.rules)
        if kind == .information {
          return try await Self.reported { try await information.answer(for: image) }
        }
        return try answer(image, wanted, asked)
      } catch {
        // A deliberate refusal stays one; an unavailable image gets a placeholder.
        guard wanted.wantsPlaceholder, kind != .information,
          !Self.deliberate.contains(error.status),
          let placeholder = await placeholders.answer(for: wanted, from: asked.rules.placeholder)
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

  private func image(
    _ wanted: ThumbnailParameters, _ rules: ServingRules
  ) async throws(Problem) -> Representation {
    var request = ImageRequest(url: wanted.url)
    do throws(Problem) {
      request.cache.policy = try await sources.policy(
        for: wanted.url, hosts: rules.hosts, buckets: rules.buckets, roots: rules.roots)
    } catch {
      refusals.note(error, of: wanted.url)
      throw error
    }
    request.thumbnail = wanted.recipe
    do throws(Problem) {
      return try await Self.reported { [request] in
        // Nothing new is started while too many bytes are in flight.
        _ = try governor.admit(0)
        do {
          var image = try await sources.representation(of: try await pipeline.data(for: request))
          image.isNegotiated = wanted.isNegotiated
          return image
        } catch let error as ImageError {
          refusals.note(error, of: wanted.url)
          throw error
        }
      }
    } catch {
      // Only the image tells whether it has the part or the frame.
      guard error.code == ImageError.Code.invalidArgument.rawValue else { throw error }
      switch (wanted.recipe?.crop, wanted.recipe?.frame) {
      case (_?, nil): throw error.about("crop")
      case (nil, _?): throw error.about("frame")
      default: throw error
      }
    }
  }

  /// Runs a part of a response, whose errors clients learn of as problems.
  private static func reported<Value>(
    _ body: () async throws -> Value
  ) async throws(Problem) -> Value {
    do {
      return try await body()
    } catch let error as ImageError {
      throw Problem(error)
    } catch {
      throw cancelled
    }
  }

  private static let cancelled = Problem(
    .internalServerError, "cancelled", "The client disconnected.")

  /// The permission for a request: a signature, or an admin key in its place.
  private func verify(_ query: QueryPairs, _ asked: Asked) throws(Problem) -> Permit {
    guard let signer = asked.rules.signer else { return .free }
    switch signer.judge(query, now: Int(clock().timeIntervalSince1970)) {
    case .good(let end): return .signature(until: end)
    case .refused:
      if asked.rules.admins?.admit(asked.request.headerFields) == true { return .adminKey }
      refusals.note(.badSignature, of: query["url"] ?? "")
      throw .badSignature
    }
  }

  // MARK: The response

  private func answer(
    _ image: Representation, _ wanted: ThumbnailParameters, _ asked: Asked
  ) throws(Problem) -> Answer {
    let now = clock()
    let fields = fields(of: image, at: now, asked)
    let stored = StoredResponse(
      status: 200, fields: fields, requestTime: image.original.requestTime,
      responseTime: image.original.responseTime, byteCount: image.content.byteCount)
    var request = HTTPCacheRequest(
      method: asked.request.method.rawValue, fields: asked.request.headerFields)
    // Preconditions of writes, which a cache would forward: this is the origin (RFC 9110 §13.1.1,
    // §13.1.4).
    guard request.isAnswerable || HTTPPresentation.preconditionsHold(request, for: stored) else {
      throw Problem(.preconditionFailed, "precondition_failed", "The image has changed.")
    }
    request.fields[.ifMatch] = nil
    request.fields[.ifUnmodifiedSince] = nil
    var presented = HTTPPresentation(
      stored, for: request, at: now, profile: CacheProfile(isShared: true))
    if !image.lifetime.isFresh(at: now) { presented.fields[.age] = nil }
    store(image, wanted, fields, asked, now)
    let status = HTTPResponse.Status(code: presented.status)
    if status == .rangeNotSatisfiable {
      var answer = Self.noSuchRange.answer
      answer.fields[.contentRange] = presented.fields[.contentRange]
      return answer
    }
    guard let parts = presented.body else {
      presented.fields[.contentLength] =
        status == .notModified ? nil : String(image.content.byteCount)
      return Answer(status: status, fields: presented.fields)
    }
    var answer = Answer(status: status, fields: presented.fields, body: body(of: image, parts))
    if case .bytes = image.content { answer.reservation = governor.reserve(parts.byteCount) }
    return answer
  }

  /// Without the image's fields, which would let caches reuse it for every other range.
  private static let noSuchRange = Problem(
    .rangeNotSatisfiable, "range_not_satisfiable", "The range is beyond the end of the image.")

  private func fields(of image: Representation, at now: Date, _ asked: Asked) -> HTTPFields {
    let control =
      asked.permit == .adminKey
      ? "no-store"
      : image.cacheControl(at: now, grace: asked.rules.grace, until: asked.permit.end)
    var fields: HTTPFields = [
      .contentType: image.format?.mediaType ?? "application/octet-stream",
      .acceptRanges: "bytes",
      .cacheControl: control,
      .lastModified: HTTPDate.format(image.lastModified(at: now)),
    ]
    fields[.eTag] = "\"\(image.hash.hex.prefix(32))\""
    fields[.cacheTag] = image.tags.map(\.name).joined(separator: asked.rules.tagSeparator.text)
    fields[.cacheStatus] = image.cacheStatus(at: now)
    fields[.serverTiming] = image.serverTiming
    if image.isNegotiated { fields[.vary] = "Accept" }
    // The age counts from these.
    fields[.date] = image.original.headers.first("date")
    fields[.age] = image.original.headers.first("age")
    fields.addSafety()
    return fields
  }

  private func body(of image: Representation, _ parts: ByteRangeParts) -> Answer.Body {
    switch image.content {
    case .bytes(let bytes):
      var buffer = ByteBuffer()
      buffer.reserveCapacity(parts.byteCount)
      for part in parts.parts {
        buffer.writeString(part.head)
        buffer.writeBytes(bytes[part.bytes])
      }
      buffer.writeString(parts.end)
      return .bytes(buffer)
    case .file(let file, _): return .file(file, parts)
    }
  }

  /// Stores the response in memory if it may be sent again.
  private func store(
    _ image: Representation, _ wanted: ThumbnailParameters, _ fields: HTTPFields, _ asked: Asked,
    _ now: Date
  ) {
    // The target of an admin has no signature, and is not for others.
    guard case .bytes(let bytes) = image.content, !image.original.isAlwaysStale,
      asked.permit != .adminKey
    else { return }
    let freshness = image.lifetime
    // A file is compared again after a second, and not at each of a thousand requests.
    let isLocal = LocalAddress.isNamed(by: wanted.url)
    guard isLocal || freshness.isFresh(at: now) else { return }
    var lifetime = isLocal ? 1 : freshness.remaining(at: now)
    if let end = asked.permit.end {
      lifetime = min(lifetime, Double(end) - now.timeIntervalSince1970)
    }
    var fields = fields
    fields[.cacheStatus] = Self.statusOfMemoryHit
    fields[.serverTiming] = nil
    var url = wanted.url
    // The URL that purges name.
    if case .original(let cacheURL, _) = image.original.key { url = cacheURL }
    let response = ReadyImage(
      url: url, key: CacheTraceLine.key(of: wanted.url, variant: wanted.recipe?.identity),
      fields,
      body: ByteBuffer(bytes: bytes), age: freshness.age(at: now),
      lifetime: memory.lifetime(of: lifetime), now: memory.clock())
    guard let response else { return }
    memory.insert(
      response, for: asked.target, under: prefix, accepting: asked.accepted, begun: asked.epoch)
  }

  private static let statusOfMemoryHit: String = {
    var status = CacheStatus(.hit)
    status.detail = "memory"
    return status.description
  }()
}
