import HTTPTypes
import ImageModel
import TextEncodings

/// One attempt of a fetch: through the redirects to a response and its body.
struct FetchAttempt {
  struct Answer {
    var head: ResponseHead
    var body: FetchedBody
    var result: TransferResult
    var originHeaders: OriginHeaders
    var redirects: [HTTPFields]
    /// Whether the body is whole although the response had a part.
    var isJoined: Bool
  }

  let engine: CurlEngine
  let hostGuard: HostGuard
  let request: FetchRequest
  let store: (any PartialBodyStoring)?
  let originHeaders: OriginHeaders
  let credentials: OriginCredentials
  /// Of an `s3` URL: then requests are signed, and neither redirected nor given other fields.
  let object: S3Object?
  let mayRedirect: (@Sendable (String, String) -> Bool)?
  let pacer: RequestPacer?
  var budget: FetchBudget
  /// Whether the last exchange timed out before any byte of its response.
  private(set) var wasSilent = false
  /// Where the hops so far led, the last one last: a failure is that one's.
  private(set) var hops: [WebURL] = []
  /// Whether a `Referer` was sent that a repeated request would leave out.
  private(set) var sentReferer = false

  /// Makes the attempt; again without a Referer after a 403, and without a useless kept prefix.
  mutating func run(_ url: WebURL) async throws -> Answer {
    var omitsReferer = false
    var asksWhole = false
    while true {
      var sink = BodySink(
        url: request.url, maximumByteCount: request.limits.maximumByteCount, store: store,
        progress: request.progress)
      sink.startsOver = asksWhole
      let fields = RequestFields(request: request, omitsReferer: omitsReferer)
      do {
        let answer =
          if let object {
            try await ask(for: object, fields, &sink)
          } else {
            try await follow(url, fields, &sink)
          }
        guard answer.head.status == 403, sentReferer, !omitsReferer,
          request.hostRules.retriesForbiddenWithoutReferer
        else { return try accept(answer) }
        omitsReferer = true
      } catch is BodySink.AskAgain {
        guard !asksWhole else { throw unrequestedPart }
        asksWhole = true
      }
    }
  }

  private mutating func follow(
    _ first: WebURL, _ fields: RequestFields, _ sink: inout BodySink
  ) async throws -> Answer {
    var (url, chain, sent, redirects) = (first, [WebURL](), OriginHeaders(), [HTTPFields]())
    var cookies: [[UInt8]] = []
    for _ in 0...max(0, request.limits.maximumRedirectCount) {
      chain.append(url)
      let own = originHeaders.sent(along: chain)
      sent = sent.union(own)
      if own.fields[.referer] == nil, fields.referer(for: url) != nil { sentReferer = true }
      let hop = fields.fields(
        for: url, first: first, credentials: credentials.value(along: chain),
        replacedBy: own.fields)
      sink.open(
        request.spelling(of: url),
        sentWith: hop.filter {
          RequestFields.credentials.contains($0.name) || own.fields[$0.name] != nil
        })
      let lines = (hop + sink.requestFields).map(\.line)
      // A file may have a password for any host: it is for the one that was named.
      let isAtFirst = chain.allSatisfy { $0.origin == first.origin }
      let (result, head) = try await exchange(
        url, lines, cookies, netrcFile: isAtFirst ? credentials.netrcFile : nil, &sink)
      guard Self.isRedirect(head.status), let location = try location(in: head) else {
        var answer = try close(result, head, &sink)
        (answer.originHeaders, answer.redirects) = (sent, redirects)
        return answer
      }
      redirects.append(head.fields)
      guard let next = url.resolving(location) else {
        throw failure(
          .unsupportedScheme,
          "\(request.spelling(of: url)) redirects to \(WebURL.withoutUserinfo(location)), which is not an http or https URL"
        )
      }
      guard mayRedirect?(url.text, next.text) ?? true else {
        throw failure(
          .redirectNotAllowed,
          "\(request.spelling(of: url)) redirects to \(next.text), which HTTPFetcher.Configuration.mayRedirect does not allow"
        )
      }
      // Cookies are for all ports of a host, where other services may be.
      cookies = next.explicitPort == url.explicitPort ? result.cookies : []
      url = next
    }
    throw failure(
      .tooManyRedirects,
      "\(request.url): more than \(request.limits.maximumRedirectCount) redirects")
  }

  /// Requests an object. The operator configured its address, and the signature is sent to that
  /// address alone.
  private mutating func ask(
    for object: S3Object, _ fields: RequestFields, _ sink: inout BodySink
  ) async throws -> Answer {
    hops.append(object.url)
    sink.open(request.url)
    let credentials = try await object.credentials(through: engine, within: budget.rest)
    let transfer = object.transfer(
      request.method.rawValue, fields: S3Object.fields(of: request, range: sink.requestFields),
      signedWith: credentials)
    var (result, head) = try await exchange(transfer, &sink)
    head.url = request.url
    guard !Self.isRedirect(head.status) else { throw failure(of: head, body: result.body) }
    return try close(result, head, &sink)
  }

  private mutating func exchange(
    _ url: WebURL, _ fieldLines: [[UInt8]], _ cookies: [[UInt8]], netrcFile: String?,
    _ sink: inout BodySink
  ) async throws -> (TransferResult, ResponseHead) {
    hops.append(url)
    let verdict = hostGuard.judge(url)
    guard verdict != .refused else {
      throw FetchFailure.privateAddress(request.spelling(of: url), url: request.url)
    }
    if let wait = try await pacer?.pass(to: url.hostAndPort) { budget.deadline += wait }
    let transfer = TransferRequest(
      url: url.text, method: request.method.rawValue, fieldLines: fieldLines, cookies: cookies,
      netrcFile: netrcFile, acceptsCompression: request.acceptsCompression,
      allowsAnyAddress: verdict == .anyAddress)
    return try await exchange(transfer, &sink)
  }

  private mutating func exchange(
    _ transfer: TransferRequest, _ sink: inout BodySink
  ) async throws -> (TransferResult, ResponseHead) {
    var transfer = transfer
    transfer.limits = request.limits
    transfer.limits.totalTime = budget.rest
    guard transfer.limits.totalTime > .zero else { throw budget.exceeded(request.url) }
    transfer.handsOver = sink.wantsChunks
    transfer.resumedByteCount = sink.prefixByteCount
    transfer.meter = request.meter
    if let known = request.protocolKnown, let host = object?.address.host ?? hops.last?.hostAndPort
    {
      transfer.protocolKnown = { known(host, $0) }
    }
    let result: TransferResult
    do {
      result = try await engine.perform(transfer) { event in
        guard case .chunk(let status, let head, let bytes) = event, !Self.isRedirect(status) else {
          return
        }
        try sink.receive(status: status, fields: HeadParser.fields(of: head), bytes: bytes)
      }
    } catch {
      budget.requestCount += 1
      if !(error is BodySink.AskAgain) { sink.discard() }
      throw error
    }
    budget.requestCount += result.wasSent ? 1 : 0
    budget.receivedByteCount += result.receivedByteCount
    wasSilent = result.wasSilent
    let head = ResponseHead(
      url: transfer.url, status: result.status, fields: HeadParser.fields(of: result.head))
    return (result, head)
  }

  private func close(
    _ result: TransferResult, _ head: ResponseHead, _ sink: inout BodySink
  ) throws -> Answer {
    guard let error = FetchFailure.error(for: result, url: request.url) else {
      let body = try sink.finish(status: head.status, fields: head.fields, rest: result.body)
      return Answer(
        head: head, body: body, result: result, originHeaders: OriginHeaders(), redirects: [],
        isJoined: sink.isJoined)
    }
    if result.outcome == .tooLarge {
      sink.discard()
    } else {
      sink.keep(status: head.status, fields: head.fields, rest: result.body)
    }
    if result.outcome == .cancelled, Task.isCancelled { throw CancellationError() }
    // A status that is an error says more than how its body ended.
    if head.status >= 400 { throw failure(of: head, body: result.body) }
    throw error.code == .timedOut && budget.rest <= .zero ? budget.exceeded(request.url) : error
  }

  private func failure(_ code: ImageError.Code, _ message: String) -> ImageError {
    ImageError(code, message, url: request.url)
  }

  private func failure(of head: ResponseHead, body: [UInt8]) -> ImageError {
    guard let object else {
      return FetchFailure.error(forStatus: head.status, fields: head.fields, url: request.url)
    }
    return S3Failure.error(
      status: head.status, fields: head.fields, body: body, for: object.bucket, url: request.url)
  }

  /// Refuses what the caller cannot use, and makes a resumed response look like a whole one.
  private func accept(_ answer: Answer) throws -> Answer {
    var answer = answer
    let status = answer.head.status
    if status == 206, request.headers[.range] == nil {
      guard answer.isJoined else { throw unrequestedPart }
      answer.head.status = 200
      answer.head.fields[.contentRange] = nil
      answer.head.fields[.contentLength] = String(answer.body.byteCount)
    }
    guard answer.head.isSuccess || status == 304 else {
      throw failure(of: answer.head, body: object == nil ? [] : try answer.body.bytes())
    }
    if answer.body.byteCount == 0, status != 304, request.method != .head {
      throw failure(.emptyBody, "\(request.url): the body is empty")
    }
    return answer
  }

  private var unrequestedPart: ImageError {
    failure(
      .protocolError,
      "\(request.url): the server sent a part (206) of the whole body that was requested")
  }

  /// The reference in a redirect; equal ones are one. Bytes that are not UTF-8 are percent-encoded.
  private func location(in head: ResponseHead) throws(ImageError) -> String? {
    let lines = Set(head.fields.valueBytes(.location))
    guard lines.count <= 1 else {
      throw failure(.protocolError, "\(head.url) redirects to several URLs at once")
    }
    return lines.first.map { bytes in
      String(validating: bytes, as: UTF8.self)
        ?? PercentEncoding.encoded(bytes[...], keepsTriplets: true) { $0 < 0x80 }
    }
  }

  private static func isRedirect(_ status: Int) -> Bool {
    [301, 302, 303, 307, 308].contains(status)
  }
}
