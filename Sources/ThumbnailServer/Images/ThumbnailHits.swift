import HTTPListening
import ImagePipeline
import NIOCore
import NIOHTTP1

/// Answers from memory: a hit or a 304 costs a look-up by the target and two writes.
final class ThumbnailHits: HitResponding {
  private let front: ServerFront
  private let memory: ResponseMemory
  private let accesses: CacheTraceRecorder?
  private let client: ConnectionPresence
  private var accepted: (lines: String, negotiation: ContentNegotiation)?

  init(
    _ front: ServerFront, _ memory: ResponseMemory, accesses: CacheTraceRecorder?,
    of client: ConnectionPresence
  ) {
    self.front = front
    self.client = client
    self.memory = memory
    self.accesses = accesses
  }

  func respond(to request: HitRequest, _ context: ChannelHandlerContext) -> Bool {
    guard request.facts.problem(request.head, front.listener.limits) == nil,
      let hit = Self.hit(
        for: request, front, in: memory, accesses,
        accepting: { negotiation(request.facts.accept) })
    else { return false }
    front.send(hit, to: request, of: client, context)
    return true
  }

  /// The response in memory to a request; `nil` where there is none.
  static func hit(
    for request: HitRequest, _ front: ServerFront, in memory: ResponseMemory,
    _ accesses: CacheTraceRecorder?, accepting: () -> ContentNegotiation
  ) -> Hit? {
    guard let target = front.routed(request.head.uri),
      let ready = memory.cache.response(to: target, under: front.pathPrefix, accepting: accepting),
      let isKnown = ready.heads.isKnown(to: request.facts)
    else { return nil }
    var hit = ready.hit(isKnown: isKnown, at: memory.clock())
    if !isKnown, request.head.method == .GET { hit.body = .byteBuffer(ready.body) }
    accesses?.record(ready.key, byteCount: ready.body.readableBytes)
    return hit
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
