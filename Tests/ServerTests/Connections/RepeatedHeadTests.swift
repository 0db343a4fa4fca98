import ImageModel
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPListening
@testable import TestSupport

/// The handler that recognizes repeated heads only saves work: with it a connection
/// gets the same responses, and later handlers get the same requests.
@Suite struct `Repeated heads` {
  /// The forms in which the servers parse requests.
  enum Form: CaseIterable, Sendable {
    /// As the thumbnail server parses them.
    case parsed
    /// As the proxy parses them, with a handler that passes fields and methods around the parser.
    case carried
  }

  /// Answers with the facts of the request, if its target has a response.
  private final class Responder: HitResponding {
    private let ready: Set<String>
    /// The requested targets.
    private(set) var asked: [String] = []
    private(set) var count = 0

    init(ready: Set<String>) { self.ready = ready }

    func respond(to request: HitRequest, _ context: ChannelHandlerContext) -> Bool {
      asked.append(request.head.uri)
      guard ready.contains(request.head.uri) else { return false }
      count += 1
      let text =
        "ready: \(request.head) \(request.facts.host ?? "-") \(request.facts.accept ?? "-") "
        + "\(request.facts.ifNoneMatch ?? "-") \(request.connection ?? "-")\n"
      context.write(NIOAny(IOData.byteBuffer(ByteBuffer(string: text))), promise: nil)
      return true
    }
  }

  /// Counts the reads that reach the parser.
  private final class Counter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private(set) var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      count += 1
      context.fireChannelRead(data)
    }
  }

  /// Records forwarded requests, and answers them at their end, or later.
  private final class Collector: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = IOData
    private(set) var log: [String] = []
    private let ended: () -> Void
    /// Whether responses wait for ``answerAll(_:)``.
    var isSlow = false
    private var waitingCount = 0

    init(ended: @escaping () -> Void) { self.ended = ended }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let part = unwrapInboundIn(data)
      log.append("\(part)")
      guard case .end = part else { return }
      waitingCount += 1
      if !isSlow { answerAll(context.channel) }
    }

    func answerAll(_ channel: any Channel) {
      for _ in 0..<waitingCount {
        channel.pipeline.syncOperations.writeAndFlush(
          NIOAny(IOData.byteBuffer(ByteBuffer(string: "passed on\n"))), promise: nil)
        ended()
      }
      waitingCount = 0
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { log.append("\(error)") }
  }

  private struct Connection {
    let channel = EmbeddedChannel()
    let responder: Responder
    /// The reads of the connection, and those that reach the parser.
    let received = Counter()
    let parsed = Counter()
    let collector: Collector

    init(_ form: Form = .parsed, recognises: Bool = true, ready: Set<String>) throws {
      responder = Responder(ready: ready)
      let place = form == .carried ? FieldBytes.Place() : nil
      let timer = ConnectionTimer(limits: ConnectionLimits())
      let hits = HitHandler(
        responder, place, hosts: HostRule(names: try HostAllowList(["site"])), timer: timer)
      collector = Collector { hits.pendingEnded() }
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(received)
      if recognises { try pipeline.addHandler(RepeatedHeadHandler(hits)) }
      try pipeline.addHandler(parsed)
      if let place { try pipeline.addHandler(FieldBytes.Outer(place)) }
      try pipeline.addHandler(
        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)))
      try pipeline.addHandler(hits)
      try pipeline.addHandler(collector)
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    func read(_ bytes: [UInt8], isLast: Bool = true) {
      guard channel.isActive else { return }
      channel.pipeline.fireChannelRead(NIOAny(ByteBuffer(bytes: bytes)))
      if isLast { channel.pipeline.fireChannelReadComplete() }
    }

    func read(_ text: String) { read(Array(text.utf8)) }

    func sent() throws -> String {
      var text = ""
      while case .byteBuffer(let bytes)? = try channel.readOutbound(as: IOData.self) {
        text += String(buffer: bytes)
      }
      return text
    }
  }

  private static func get(_ target: String, _ fields: String = "Host: site\r\n") -> String {
    "GET \(target) HTTP/1.1\r\n\(fields)\r\n"
  }

  @Test func `the parser sees only the first of several requests with equal fields`() throws {
    let connection = try Connection(ready: ["/a", "/b"])
    for target in ["/a", "/b", "/a", "/b"] { connection.read(Self.get(target)) }
    #expect(connection.responder.count == 4)
    #expect(connection.parsed.count == 1)
    let lines = try connection.sent().split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0] == lines[2] && lines[1] == lines[3] && lines[0] != lines[1])

    // A request without a response, and other fields, are parsed; then the new fields are known.
    connection.read(Self.get("/c"))
    connection.read(Self.get("/a", "Host: site\r\nAccept: image/webp\r\n"))
    #expect(connection.parsed.count == 3)
    connection.read(Self.get("/b", "Host: site\r\nAccept: image/webp\r\n"))
    #expect(connection.parsed.count == 3)
    #expect(connection.responder.count == 6)
    #expect(try connection.sent().hasSuffix("site image/webp - -\n"))
  }

  @Test func `a head that is too large is not cached`() throws {
    let connection = try Connection(ready: ["/a"])
    let fields = "Host: site\r\nX: \(String(repeating: "x", count: 9000))\r\n"
    for _ in 0..<3 { connection.read(Self.get("/a", fields)) }
    #expect(connection.responder.count == 3)
    #expect(connection.parsed.count == 3)
  }

  @Test(.isLong, arguments: Form.allCases)
  func `any request stream gives the same responses without the shortcut`(form: Form) throws {
    let ready: Set = ["/a", "/b?c=d", "/é"]
    var (receivedCount, parsedCount) = (0, 0)
    for seed in 0..<800 as Range<UInt64> {
      let outcomes = try [false, true].map { recognises in
        let connection = try Connection(form, recognises: recognises, ready: ready)
        var random = SplitMix64(seed: seed)
        let reads = Self.stream(&random)
        connection.collector.isSlow = seed % 3 == 0
        for read in reads {
          connection.read(read, isLast: Int.random(in: 0..<8, using: &random) > 0)
          Self.happen(&random, to: connection)
        }
        connection.channel.pipeline.fireChannelReadComplete()
        if recognises {
          receivedCount += connection.received.count
          parsedCount += connection.parsed.count
        }
        return try [connection.sent(), "\(connection.channel.isActive)"]
          + connection.responder.asked + connection.collector.log
      }
      let isSame = outcomes[0] == outcomes[1]
      try #require(isSame, "seed \(seed), recognised or not: \(outcomes)")
    }
    #expect(parsedCount < receivedCount * 9 / 10, "\(parsedCount) of \(receivedCount) parsed")
  }

  /// What happens between two reads.
  private static func happen(_ random: inout SplitMix64, to connection: Connection) {
    let pipeline = connection.channel.pipeline
    switch Int.random(in: 0..<16, using: &random) {
    case 0...4: connection.collector.answerAll(connection.channel)
    case 5: connection.channel.isWritable.toggle()
    case 6 where Int.random(in: 0..<8, using: &random) == 0:
      pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    default: connection.channel.isWritable = true
    }
  }

  private static func pick(_ values: [String], _ random: inout SplitMix64) -> String {
    values[Int.random(in: values.indices, using: &random)]
  }

  /// The reads of a connection: most are one request; some are cut, joined, or not a request.
  private static func stream(_ random: inout SplitMix64) -> [[UInt8]] {
    let fields = [
      "Host: site\r\n", "Host: site\r\nAccept: image/webp,*/*\r\n",
      "Host: site\r\nIf-None-Match: \"a\"\r\n", "Host: other\r\n",
      "Host: site\r\nRange: bytes=0-1\r\n",
      "host:site\r\nconnection: keep-alive\r\n", "Host: site\r\nConnection: close\r\n",
      "Host: site\r\nContent-Length: 4\r\n", "Host: site\r\nTransfer-Encoding: chunked\r\n",
      "Host: site\r\nUpgrade: x\r\nConnection: upgrade\r\n", "Host: site\r\nX: \u{E9}\r\n", "",
      "Host: site\r\nA: b\r\n c\r\n", "Host: site\r\nProxy-Connection: close\r\n",
    ]
    let methods = ["GET", "GET", "GET", "HEAD", "POST", "M-SEARCH", "CONNECT", "get"]
    let odd = ["/c", "/é", "http://site/a", "/a b", "*", "/" + String(repeating: "x", count: 300)]
    // A client repeats few kinds of requests on a connection.
    let kinds = (0..<2).map { _ in (pick(fields, &random), pick(methods, &random)) }
    var reads: [[UInt8]] = []
    for _ in 0..<Int.random(in: 2...30, using: &random) {
      let (lines, method) =
        Int.random(in: 0..<8, using: &random) > 0
        ? (fields[0], "GET") : kinds[Int.random(in: 0..<2, using: &random)]
      let version = Int.random(in: 0..<12, using: &random) == 0 ? "1.0" : "1.1"
      let target = pick(
        Int.random(in: 0..<12, using: &random) > 0 ? ["/a", "/b?c=d"] : odd, &random)
      var text = "\(method) \(target) HTTP/\(version)\r\n\(lines)\r\n"
      if lines.contains("Content-Length") { text += pick(["\r\n\r\n", "body", "GET "], &random) }
      if lines.contains("chunked") {
        text += pick(["4\r\nbody\r\n0\r\n\r\n", "0\r\nA: b\r\n\r\n"], &random)
      }
      var bytes = Array(text.utf8)
      switch Int.random(in: 0..<48, using: &random) {
      case 0: bytes = Array("\r\n".utf8) + bytes
      case 1: bytes += Array("\r\n\r\n".utf8)
      case 2: bytes = Array("nonsense\r\n\r\n".utf8)
      case 3: bytes = Array(text.replacing("\r\n", with: "\n").utf8)
      case 4:
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      default: break
      }
      switch Int.random(in: 0..<16, using: &random) {
      case 0:
        let cut = Int.random(in: 0...bytes.count, using: &random)
        reads += [Array(bytes[..<cut]), Array(bytes[cut...])].filter { !$0.isEmpty }
      case 1 where !reads.isEmpty: reads[reads.count - 1] += bytes
      default: reads.append(bytes)
      }
    }
    return reads
  }
}
