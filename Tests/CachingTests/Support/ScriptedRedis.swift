import NIOCore
import NIOPosix

@testable import ImageModel
@testable import RedisClustering

/// A server on loopback with scripted replies: for behavior that a real one does not show.
final class ScriptedRedis: Sendable {
  /// The action for a client's command.
  enum Answer: Sendable {
    case bytes(String)
    case close
    /// Nothing is sent, and the connection stays open.
    case nothing
    /// Bytes, and then the end of the connection.
    case last(String)
  }

  static let ok = Answer.bytes("+OK\r\n")
  /// The reply of a server without a cluster to `CLUSTER SLOTS`.
  static let single = Answer.bytes("-ERR This instance has cluster support disabled\r\n")

  static func node(_ port: Int) -> String { "*2\r\n$9\r\n127.0.0.1\r\n:\(port)\r\n" }

  /// The reply to `CLUSTER SLOTS` of a master that has all of them, with replicas.
  static func slots(_ master: Int, _ replicas: [Int] = []) -> Answer {
    .bytes(
      "*1\r\n*\(3 + replicas.count)\r\n:0\r\n:16383\r\n" + node(master)
        + replicas.map(node).joined())
  }

  let port: Int
  private let channel: any Channel
  private let seen = Locked<[String]>([])
  private let open = Locked(0)

  /// - Parameter answer: Called with the words of each command, one after the other.
  init(_ answer: @escaping @Sendable (_ port: Int, _ words: [String]) -> Answer) async throws {
    let (seen, open) = (seen, open)
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        open.withLock { $0 += 1 }
        channel.closeFuture.whenComplete { _ in open.withLock { $0 -= 1 } }
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            Handler { words in
              seen.withLock { $0.append(words.joined(separator: " ")) }
              return answer(channel.localAddress?.port ?? 0, words)
            })
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }

  /// The commands so far, without those that begin every connection.
  var commands: [String] { seen.withLock { $0.filter { $0 != "READONLY" } } }

  /// The number of open connections.
  var connectionCount: Int { open.withLock { $0 } }

  deinit { channel.close(promise: nil) }

  /// A client, with deadlines that a busy machine keeps.
  func client(
    _ change: (inout RedisConfiguration) -> Void = { _ in }
  ) throws -> RedisClient {
    var configuration = RedisConfiguration(
      servers: [RedisEndpoint(host: "127.0.0.1", port: port)])
    (configuration.deadline, configuration.connectTimeout) = (.seconds(30), .seconds(30))
    change(&configuration)
    return try RedisClient(configuration)
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let answer: ([String]) -> Answer
    private var buffer = ByteBuffer()

    init(_ answer: @escaping ([String]) -> Answer) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var bytes = unwrapInboundIn(data)
      buffer.writeBuffer(&bytes)
      while let words = next() {
        switch answer(words) {
        case .bytes(let text): send(text, context)
        case .close: context.close(promise: nil)
        case .nothing: break
        case .last(let text):
          send(text, context)
          context.close(promise: nil)
        }
      }
    }

    private func send(_ text: String, _ context: ChannelHandlerContext) {
      context.writeAndFlush(NIOAny(ByteBuffer(string: text)), promise: nil)
    }

    /// The words of the next complete command.
    private func next() -> [String]? {
      var reading = buffer
      func line() -> Substring? {
        guard let end = reading.readableBytesView.firstIndex(of: 0x0D) else { return nil }
        let text = reading.readString(length: end - reading.readerIndex)
        reading.moveReaderIndex(forwardBy: min(2, reading.readableBytes))
        return text?.dropFirst()
      }
      guard let count = line().flatMap({ Int($0) }) else { return nil }
      var words: [String] = []
      for _ in 0..<count {
        guard let length = line().flatMap({ Int($0) }),
          let word = reading.readString(length: length),
          reading.readableBytes >= 2
        else { return nil }
        reading.moveReaderIndex(forwardBy: 2)
        words.append(word)
      }
      buffer = reading
      return words
    }
  }
}
