import HTTPCaching
import HTTPListening
import NIOCore
import NIOHTTP1

/// Answers with responses that are ready: a look-up, a check that nothing has changed, and two
/// writes. What the rules of HTTP have to decide again is left to the responder.
final class ProxyHits: HitResponding {
  private let front: ServerFront
  private let services: ProxyServices
  private let client: ConnectionPresence

  init(_ front: ServerFront, _ services: ProxyServices, of client: ConnectionPresence) {
    self.front = front
    self.services = services
    self.client = client
  }

  func respond(to request: HitRequest, _ context: ChannelHandlerContext) -> Bool {
    let (head, facts) = (request.head, request.facts)
    guard !facts.concernsCaches, let candidates = services.ready.responses(to: head.uri),
      let ready = candidates.first(where: {
        $0.isSelected(by: head.headers, services.forwarded, from: client)
      }),
      let isKnown = ready.heads.isKnown(to: facts)
    else { return false }
    let now = services.clock()
    let hasBody = head.method == .GET && !isKnown
    guard ready.isFresh(at: now),
      let body = services.store.reuse(
        ready.key, of: ready.url, at: ready.revision, needsBody: hasBody),
      let content = Self.content(of: body, byteCount: hasBody ? ready.byteCount : 0)
    else { return false }
    var hit = ready.hit(isKnown: isKnown, at: now)
    (hit.body, hit.owner) = (content, body)
    front.send(hit, to: request, of: client, context)
    return true
  }

  /// A body as it is written, without a copy where it is in a file or in a buffer; `nil` if it cannot
  /// be read or has another length.
  private static func content(of body: any StoredBody, byteCount: Int) -> IOData? {
    if let descriptor = body.descriptor {
      let file = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
      return .fileRegion(FileRegion(fileHandle: file, readerIndex: 0, endIndex: byteCount))
    }
    let buffer: ByteBuffer
    if let body = body as? BufferBody {
      buffer = body.buffer
    } else if let bytes = body as? [UInt8] ?? (try? body.read(at: 0, count: byteCount)) {
      buffer = ByteBuffer(bytes: bytes)
    } else {
      return nil
    }
    return buffer.readableBytes == byteCount ? .byteBuffer(buffer) : nil
  }
}
