import NIOCore
import NIOPosix

@testable import ImageModel
@testable import RedisClustering
@testable import SharedCaching

/// A server on loopback with the commands that a shared tier sends, and no others: for tests that
/// run without a real one. It records lifetimes, and nothing expires.
final class MemoryRedis: Sendable {
  enum Fault: Sendable {
    case reply(String)
    case silence
    case close
  }

  private struct State {
    var values: [String: ByteBuffer] = [:]
    var lifetimes: [String: Int] = [:]
    var purges: [(member: String, score: Int)] = []
    var commands: [[String]] = []
    var subscribers: [any Channel] = []
    var fault: @Sendable ([String]) -> Fault? = { _ in nil }
  }

  let port: Int
  private let channel: any Channel
  private let state: Locked<State>

  init() async throws {
    let state = Locked(State())
    self.state = state
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Handler(state))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  deinit { channel.close(promise: nil) }

  /// The words of the commands so far, without those that begin every connection.
  var commands: [[String]] {
    state.withLock { $0.commands.filter { !["READONLY", "CLUSTER", "PING"].contains($0[0]) } }
  }
  var keys: [String] { state.withLock { $0.values.keys.sorted() } }
  var messages: [String] { commands.filter { $0[0] == "PUBLISH" }.map { $0[2] } }

  subscript(key: String) -> ByteBuffer? {
    get { state.withLock { $0.values[key] } }
    set { state.withLock { $0.values[key] = newValue } }
  }

  /// The lifetime with which a key was last set, in milliseconds.
  func lifetime(of key: String) -> Int? { state.withLock { $0.lifetimes[key] } }

  /// Lists a purge by tag, as another server does.
  func list(_ member: String, score: Int) { state.withLock { $0.purges.append((member, score)) } }

  func publish(_ message: String, on name: String) {
    let bytes = Handler.array(
      ["message", name, message].map { Handler.bulk(ByteBuffer(string: $0)) })
    for subscriber in state.withLock({ $0.subscribers }) {
      subscriber.writeAndFlush(bytes, promise: nil)
    }
  }

  func dropSubscribers() {
    let dropped = state.withLock { state in
      defer { state.subscribers = [] }
      return state.subscribers
    }
    for subscriber in dropped { subscriber.close(promise: nil) }
  }

  /// Replaces replies from now on; the function sees each command before it is executed.
  func fail(_ fault: @escaping @Sendable ([String]) -> Fault?) {
    state.withLock { $0.fault = fault }
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let state: Locked<State>
    private var parser = ReplyParser(maximumByteCount: 64 << 20)

    init(_ state: Locked<State>) { self.state = state }

    static func bulk(_ bytes: ByteBuffer?) -> ByteBuffer {
      guard let bytes else { return ByteBuffer(string: "$-1\r\n") }
      var reply = ByteBuffer(string: "$\(bytes.readableBytes)\r\n")
      reply.writeImmutableBuffer(bytes)
      reply.writeString("\r\n")
      return reply
    }

    static func array(_ members: [ByteBuffer]) -> ByteBuffer {
      var reply = ByteBuffer(string: "*\(members.count)\r\n")
      for member in members { reply.writeImmutableBuffer(member) }
      return reply
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      parser.append(unwrapInboundIn(data))
      while let words = try? parser.next()?.array?.compactMap({ $0.bytes }), !words.isEmpty {
        let texts = words.map { String(buffer: $0) }
        let fault = state.withLock { state in
          state.commands.append(texts)
          return state.fault
        }(texts)
        switch fault {
        case .reply(let text):
          context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
        case .silence: break
        case .close: context.close(promise: nil)
        case nil:
          let reply = state.withLock { Self.run(words, texts, in: &$0, from: context.channel) }
          context.writeAndFlush(NIOAny(reply), promise: nil)
        }
      }
    }

    private static func run(
      _ words: [ByteBuffer], _ texts: [String], in state: inout State, from channel: any Channel
    ) -> ByteBuffer {
      switch texts[0] {
      case "READONLY", "AUTH": return ByteBuffer(string: "+OK\r\n")
      case "CLUSTER":
        return ByteBuffer(string: "-ERR This instance has cluster support disabled\r\n")
      case "PING": return ByteBuffer(string: "+PONG\r\n")
      case "GET": return bulk(state.values[texts[1]])
      case "MGET": return array(texts.dropFirst().map { bulk(state.values[$0]) })
      case "SET":
        let has = state.values[texts[1]] != nil
        if texts.contains("NX") && has || texts.contains("XX") && !has { return bulk(nil) }
        set(texts[1], words[2], texts.last.flatMap { Int($0) }, in: &state)
        return ByteBuffer(string: "+OK\r\n")
      case "DEL", "UNLINK":
        for key in texts.dropFirst() { state.values[key] = nil }
        return ByteBuffer(string: ":1\r\n")
      case "EVAL", "EVALSHA": return script(words, texts, in: &state)
      case "ZRANGEBYSCORE":
        let found = state.purges.filter { $0.score >= Int(texts[2]) ?? 0 }
        return array(
          found.flatMap { [$0.member, "\($0.score)"] }.map { bulk(ByteBuffer(string: $0)) })
      case "SUBSCRIBE":
        state.subscribers.append(channel)
        return array([
          bulk(ByteBuffer(string: "subscribe")), bulk(words[1]), ByteBuffer(string: ":1\r\n"),
        ])
      case "PUBLISH": return ByteBuffer(string: ":\(state.subscribers.count)\r\n")
      case "INFO":
        let text = "# Info\r\nredis_version:7.0.15\r\nmaxmemory:1048576\r\n"
        return bulk(ByteBuffer(string: text + "maxmemory_policy:allkeys-lfu\r\n"))
      default: return ByteBuffer(string: "-ERR unknown command '\(texts[0])'\r\n")
      }
    }

    private static func set(
      _ key: String, _ value: ByteBuffer, _ lifetime: Int?, in state: inout State
    ) {
      state.values[key] = value
      state.lifetimes[key] = lifetime
    }

    private static func script(
      _ words: [ByteBuffer], _ texts: [String], in state: inout State
    ) -> ByteBuffer {
      let count = Int(texts[2]) ?? 0
      let keys = Array(texts[3..<(3 + count)])
      let arguments = Array(words[(3 + count)...])
      func number(_ index: Int) -> Int { Int(String(buffer: arguments[index])) ?? 0 }
      let isScript = { (script: RedisScript) in [script.text, script.digest].contains(texts[1]) }
      if isScript(TierScripts.store) {
        if arguments[3].readableBytes > 0, state.values[keys[2]] == arguments[3] {
          state.values[keys[2]] = nil
        }
        guard state.values[keys[0]] == arguments[0] else { return ByteBuffer(string: ":0\r\n") }
        set(keys[1], arguments[1], number(2), in: &state)
        state.lifetimes[keys[0]] = max(state.lifetimes[keys[0]] ?? 0, number(4))
      } else if isScript(TierScripts.release) {
        if state.values[keys[0]] == arguments[0] { state.values[keys[0]] = nil }
      } else if isScript(TierScripts.list) {
        for tag in arguments.dropFirst(2) {
          state.purges.append(("\(number(1)) \(String(buffer: tag))", number(1)))
        }
      } else {
        return ByteBuffer(string: "-NOSCRIPT No matching script\r\n")
      }
      return ByteBuffer(string: ":1\r\n")
    }
  }
}
