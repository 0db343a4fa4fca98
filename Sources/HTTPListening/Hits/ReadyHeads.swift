public import HTTPCaching
public import HTTPTypes
public import NIOCore

/// The serialized heads of a response that can be sent again as it is, but for what differs from one
/// moment to the next: with the body, and for clients that have it already.
public final class ReadyHeads: Sendable {
  let status: Int
  private let full: HeadTemplate
  private let notModified: HeadTemplate?
  /// Its tag; `nil` if it has none or one that is not compared byte for byte.
  public let entityTag: String?
  private let needsComparison: Bool

  /// Heads of a 200 and its 304 that end with the age and the date, from the fields of the 200
  /// without its length; `nil` without a tag.
  public init?(_ fields: HTTPFields, byteCount: Int) {
    guard let tag = fields[.eTag] else { return nil }
    var long = fields
    long[.contentLength] = String(byteCount)
    for name in [.age, .date] as [HTTPField.Name] {
      // At the end.
      long[name] = nil
      long[name] = ""
    }
    var short = long
    for name in [.contentType, .contentLength, .contentEncoding] as [HTTPField.Name] {
      short[name] = nil
    }
    guard let full = HeadTemplate(200, long) else { return nil }
    (self.full, notModified) = (full, HeadTemplate(304, short))
    (status, entityTag, needsComparison) = (200, tag, false)
  }

  /// Heads of a stored response with the age and the lifetime where they are in the fields; `nil`
  /// if a head has not one of each. `head` returns the response to a request with some fields, and
  /// the end of its `Cache-Status`.
  public init?(
    _ stored: StoredResponse, head: (HTTPFields) -> (HTTPPresentation, CacheStatus)
  ) {
    status = stored.status
    let own = stored.fields[fields: .eTag].first
    let tag = own.map(FieldBytes.text)
    let isPlain = tag.map { $0.hasPrefix("\"") && !$0.utf8.contains(UInt8(ascii: ",")) } ?? true
    needsComparison = !isPlain
    entityTag = isPlain && (200..<300).contains(stored.status) ? tag : nil
    func template(for request: HTTPFields) -> HeadTemplate? {
      let (response, cacheStatus) = head(request)
      return HeadTemplate(response.status, response.fields, endsIn: cacheStatus)
    }
    guard let full = template(for: [:]) else { return nil }
    self.full = full
    guard entityTag != nil, let own else {
      notModified = nil
      return
    }
    var condition = HTTPFields()
    condition.append(
      own.withUnsafeBytesOfValue { HTTPField(name: .ifNoneMatch, value: Array($0)) })
    guard let short = template(for: condition) else { return nil }
    notModified = short
  }

  /// The same in memory of their own: threads that send the same heads write to the same counts of
  /// references.
  public func copied() -> ReadyHeads {
    ReadyHeads(copying: self)
  }

  private init(copying other: ReadyHeads) {
    (status, needsComparison) = (other.status, other.needsComparison)
    full = other.full.copied()
    notModified = other.notModified?.copied()
    entityTag = other.entityTag.map { String(decoding: Array($0.utf8), as: UTF8.self) }
  }

  /// The bytes that they take, about.
  public var byteCount: Int { full.byteCount + (notModified?.byteCount ?? 0) }

  /// Whether the client has the response already; `nil` if only the rules of HTTP can tell.
  public func isKnown(to facts: RequestFacts) -> Bool? {
    guard let asked = facts.ifNoneMatch else { return false }
    if asked == entityTag { return true }
    return facts.isListOfTags || needsComparison ? nil : false
  }

  func head(
    isKnown: Bool, age: Int, lifetime: Int, date: @autoclosure () -> String, connection: String?,
    others: String = "", _ allocator: ByteBufferAllocator
  ) -> ByteBuffer {
    (isKnown ? notModified ?? full : full)
      .head(
        age: age, lifetime: lifetime, date: date(), connection: connection, others: others,
        allocator)
  }
}

/// A response that is ready, as it is sent to one client.
public struct Hit {
  /// Its heads.
  public let heads: ReadyHeads
  /// Whether the client has it already: then it is a 304.
  public let isKnown: Bool
  /// The value of `Age`.
  public let age: Int
  /// Seconds until it is stale, for `Cache-Status`.
  public let lifetime: Int
  /// Where it came from.
  public let source: ServerMetrics.Source
  /// Its body; `nil` without one.
  public var body: IOData?
  /// The owner of the file that the body is in, kept until it is sent.
  public var owner: (any Sendable)?

  /// Creates one without a body.
  public init(
    _ heads: ReadyHeads, isKnown: Bool, age: Int, lifetime: Int = 0, source: ServerMetrics.Source
  ) {
    self.heads = heads
    self.isKnown = isKnown
    self.age = age
    self.lifetime = lifetime
    self.source = source
  }
}

extension ServerFront {
  /// Writes a response that is ready, without flushing; counts and logs it.
  public func send(
    _ hit: Hit, to request: HitRequest, of client: ConnectionPresence,
    _ context: ChannelHandlerContext
  ) {
    let began = NIODeadline.now()
    let head = hit.heads.head(
      isKnown: hit.isKnown, age: hit.age, lifetime: hit.lifetime, date: dates.text,
      connection: request.connection,
      others: crossOrigin?.lines(for: request.facts.origin) ?? "", context.channel.allocator)
    context.write(NIOAny(IOData.byteBuffer(head)), promise: nil)
    if let body = hit.body { write(body, of: hit.owner, context) }
    let trace = isTracing ? RequestTrace(request.facts, request.head, self) : nil
    var entry = AccessLog.Entry(request.head)
    entry.status = hit.isKnown ? 304 : hit.heads.status
    entry.byteCount = hit.body?.readableBytes ?? 0
    entry.source = hit.source
    entry.traceID = trace?.traceID
    entry.address = client.address
    answered(entry, trace, began: began)
  }

  private func write(
    _ body: IOData, of owner: (any Sendable)?, _ context: ChannelHandlerContext
  ) {
    guard case .fileRegion(let region) = body else {
      if body.readableBytes > 0 { context.write(NIOAny(body), promise: nil) }
      return
    }
    let written = context.eventLoop.makePromise(of: Void.self)
    // The owner closes its file, which other responses may be sending, too.
    written.futureResult.whenComplete { _ in
      _ = try? region.fileHandle.takeDescriptorOwnership()
      withExtendedLifetime(owner) {}
    }
    context.write(NIOAny(body), promise: written)
  }
}
