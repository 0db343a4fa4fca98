public import HTTPTypes
import ImageModel
public import NIOCore
import NIOHTTP1

/// The routes of a server below a path of another server, which has the connections: in its router
/// by ``respond(to:body:)``, or in a pipeline of NIO by ``channelHandler()``.
///
/// Everything about a request but its connection is as where the routes have a listener of their
/// own: limits of its head and body, conditions, ranges, responses that are ready, metrics and log.
public struct MountedRoutes: Sendable {
  private let front: ServerFront
  private let responder: RouteResponder
  private let hit: @Sendable (HitRequest) -> Hit?

  /// Mounts routes at the path prefix of a front, which refuses, counts and logs requests, whose
  /// spans are the other server's; `hit` returns the response to one if it is ready.
  public init(
    _ front: ServerFront, _ responder: RouteResponder,
    hit: @escaping @Sendable (HitRequest) -> Hit?
  ) {
    var front = front
    front.tracer = nil
    self.front = front
    self.responder = responder
    self.hit = hit
  }

  /// Answers a request; a path that is not below the prefix gets 404.
  ///
  /// - Parameters:
  ///   - request: The head, with the whole path. Cancelling the task cancels the work for it.
  ///   - body: The whole body. Default: none.
  /// - Returns: The status and all fields of the response, its length among them. The body, which a
  ///   response to `HEAD` has not, is written by ``Answer/writeBody(to:)``.
  public func respond(to request: HTTPRequest, body: ByteBuffer = ByteBuffer()) async -> Answer {
    await answer(HTTPRequestHead(request), body)
  }

  /// A handler for a connection of NIO's HTTP/1, behind the handlers that
  /// `configureHTTPServerPipeline()` adds: it answers the requests below the prefix, and passes on
  /// all others. Each connection needs one of its own.
  public func channelHandler() -> any ChannelInboundHandler & RemovableChannelHandler {
    MountHandler(self)
  }

  func serves(_ head: HTTPRequestHead) -> Bool {
    head.inOriginForm.uri.hasPrefix(front.pathPrefix + "/")
  }

  /// Why a request is refused before its body has arrived; `nil` if it is not.
  func refusal(of head: HTTPRequestHead) -> Problem? {
    front.routed(head.inOriginForm).flatMap { front.refusal(RequestFacts($0), $0) }
  }

  func answer(_ received: HTTPRequestHead, _ body: ByteBuffer) async -> Answer {
    let received = received.inOriginForm
    guard serves(received), let head = front.routed(received) else {
      return framed(Problem.notFound.answer, received)
    }
    let facts = RequestFacts(head)
    let began = NIODeadline.now()
    front.requestBegan()
    let trace = RequestTrace(facts, head, front)
    var answer = await answer(head, facts, received, body, trace)
    answer = framed(answer, head)
    front.addCrossOrigin(to: &answer.fields, head)
    var entry = AccessLog.Entry(received)
    entry.status = Task.isCancelled ? AccessLog.Entry.clientLeft : answer.status.code
    entry.byteCount = answer.body.byteCount
    entry.source = front.metrics.source(of: answer.fields[.cacheStatus])
    entry.traceID = trace?.traceID
    entry.problem = answer.problem
    front.requestEnded()
    front.answered(entry, trace, began: began)
    return answer
  }

  private func answer(
    _ head: HTTPRequestHead, _ facts: RequestFacts, _ received: HTTPRequestHead,
    _ body: ByteBuffer, _ trace: RequestTrace?
  ) async -> Answer {
    if let problem = front.refusal(facts, head) { return problem.answer }
    if let hit = HitRequest(received, facts, isKeptAlive: true).flatMap(hit) {
      return Answer(hit, date: front.dates.text)
    }
    let request = RoutedRequest(head, RequestBody(Array(body.readableBytesView)))
    return await withTaskExecutorPreference(front.executor) {
      guard let trace else { return await responder.answer(request) }
      return await trace.run { await responder.answer(request) }
    }
  }

  private func framed(_ answer: Answer, _ head: HTTPRequestHead) -> Answer {
    var answer = answer
    answer.fields = answer.framedFields
    answer.fields[.date] = front.dates.text
    if head.method == .HEAD { answer.body = .none }
    answer.executor = front.executor
    return answer
  }
}

extension HTTPRequestHead {
  /// The head of a request that came in any version of HTTP; one without an authority is as one of
  /// HTTP/1.0.
  fileprivate init(_ request: HTTPRequest) {
    let fields = request.headerFields.map { ($0.name.rawName, $0.value) }
    self.init(
      version: request.authority == nil ? .http1_0 : .http1_1,
      method: HTTPMethod(rawValue: request.method.rawValue), uri: request.path ?? "/",
      headers: HTTPHeaders(request.authority.map { [("Host", $0)] + fields } ?? fields))
  }
}

extension Answer {
  /// A response that is ready. Its fields are read from the bytes of its head: beside these they
  /// would take as much memory again for each response.
  fileprivate init(_ hit: Hit, date: String) {
    let head = hit.heads.head(
      isKnown: hit.isKnown, age: hit.age, lifetime: hit.lifetime, date: date, connection: nil,
      ByteBufferAllocator())
    self.init(status: hit.isKnown ? .notModified : HTTPResponse.Status(code: hit.heads.status))
    for line in String(buffer: head).split(separator: "\r\n").dropFirst() {
      let name = line.prefix { $0 != ":" }
      guard let field = HTTPField.Name(String(name)) else { continue }
      fields.append(HTTPField(name: field, value: String(line.dropFirst(name.count + 2))))
    }
    if case .byteBuffer(let bytes) = hit.body { body = .bytes(bytes) }
  }
}
