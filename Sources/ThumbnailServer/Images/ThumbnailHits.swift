import HTTPListening
import ImagePipeline
import NIOCore
import NIOHTTP1

/// Answers from memory: a hit or a 304 costs a look-up by the target and two writes.
final class ThumbnailHits: HitResponding {
  private let front: ServerFront
  private let memory: ResponseMemory
  private let accesses: CacheTraceRecorder?
  private var accepted: (lines: String, negotiation: ContentNegotiation)?

  init(_ front: ServerFront, _ memory: ResponseMemory, accesses: CacheTraceRecorder?) {
    self.front = front
    self.memory = memory
    self.accesses = accesses
  }

  func respond(to request: HitRequest, _ context: ChannelHandlerContext) -> Bool {
    let facts = request.facts
    guard facts.problem(request.head, front.limits) == nil,
      let ready = memory.cache.response(
        to: request.head.uri, accepting: { negotiation(facts.accept) })
    else { return false }
    let isKnown = facts.ifNoneMatch == ready.entityTag
    guard isKnown || !facts.isListOfTags else { return false }
    send(ready, isKnown, to: request, context)
    return true
  }

  private func send(
    _ ready: ReadyResponse, _ isKnown: Bool, to request: HitRequest,
    _ context: ChannelHandlerContext
  ) {
    let began = NIODeadline.now()
    let head = ready.head(
      isKnown: isKnown, at: memory.clock(), date: front.dates.text,
      connection: request.connection, context.channel.allocator)
    let hasBody = !isKnown && request.head.method == .GET
    context.write(NIOAny(IOData.byteBuffer(head)), promise: nil)
    if hasBody { context.write(NIOAny(IOData.byteBuffer(ready.body)), promise: nil) }
    accesses?.record(ready.key, byteCount: ready.body.readableBytes)
    let trace = front.isTracing ? RequestTrace(request.facts, request.head, front) : nil
    front.answered(
      AccessLog.Entry(
        method: request.head.method.rawValue, target: request.head.uri,
        status: isKnown ? 304 : 200, byteCount: hasBody ? ready.body.readableBytes : 0,
        tier: .memory, traceID: trace?.traceID),
      trace, began: began)
  }

  /// The formats that the client accepts: usually the same for every request of a connection.
  private func negotiation(_ accept: String?) -> ContentNegotiation {
    guard let accept else { return .any }
    if let accepted, accepted.lines == accept { return accepted.negotiation }
    let negotiation = ContentNegotiation(accept: [accept])
    accepted = (accept, negotiation)
    return negotiation
  }
}
