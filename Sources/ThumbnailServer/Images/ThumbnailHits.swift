import HTTPListening
import ImagePipeline
import NIOCore
import NIOHTTP1

/// Answers from memory: a hit or a 304 costs a look-up by the target and two writes.
final class ThumbnailHits: HitResponding {
  private let front: ServerFront
  private let responses: LoopResponses
  private let accesses: CacheTraceRecorder?
  private let client: ConnectionPresence
  private var accepted: (lines: String, negotiation: ContentNegotiation)?

  init(
    _ front: ServerFront, _ responses: LoopResponses, accesses: CacheTraceRecorder?,
    of client: ConnectionPresence
  ) {
    self.front = front
    self.client = client
    self.responses = responses
    self.accesses = accesses
  }

  func respond(to request: HitRequest, _ context: ChannelHandlerContext) -> Bool {
    guard request.facts.problem(request.head, front.listener.limits) == nil else { return false }
    let now = responses.now
    let hit = Self.hit(for: request, front, accesses, at: now) { target in
      responses.response(
        to: target, under: front.pathPrefix, accepting: negotiation(request.facts.accept), at: now)
    }
    guard let hit else { return false }
    front.send(hit, to: request, of: client, context)
    return true
  }

  /// The response to a request, which `find` looks up by its target; `nil` where there is none.
  static func hit(
    for request: HitRequest, _ front: ServerFront, _ accesses: CacheTraceRecorder?, at now: UInt64,
    _ find: (String) -> ReadyImage?
  ) -> Hit? {
    guard let target = front.routed(request.head.uri), let ready = find(target),
      let isKnown = ready.heads.isKnown(to: request.facts)
    else { return nil }
    var hit = ready.hit(isKnown: isKnown, at: now)
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
