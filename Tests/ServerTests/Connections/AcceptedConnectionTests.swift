import NIOCore
import NIOPosix
import Testing

@testable import HTTPListening
@testable import ThumbnailServer
@testable import TestSupport

@Suite struct `Accepted connections` {
  /// Writes a greeting and closes its connection.
  private final class GreetingHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "hello")), promise: nil)
      context.close(promise: nil)
    }
  }

  @Test func `the listener stays open until the pipeline of one is built`() async throws {
    let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let built = threads.next().makePromise(of: Void.self)
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let listener = try await ServerBootstrap(group: threads)
      .serverChannelInitializer { listener in
        listener.eventLoop.makeCompletedFuture {
          try listener.pipeline.syncOperations.addHandler(
            AcceptHandler(OpenConnections(), maximum: 10) {})
        }
      }
      .childChannelInitializer { channel in
        arrived.yield()
        return built.futureResult.flatMapThrowing {
          try channel.pipeline.syncOperations.addHandler(GreetingHandler())
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(listener.localAddress?.port)
    let client = try RawClient(port: UInt16(port))
    for await _ in arrivals { break }

    listener.eventLoop.execute {
      listener.pipeline.fireUserInboundEventTriggered(AcceptHandler.Finish())
      // The event loop runs this after the first check of the backlog, a millisecond after the
      // event.
      listener.eventLoop.scheduleTask(in: .milliseconds(5)) { built.succeed() }
    }
    let text = try await OffPool.run { client.readToEnd() }

    #expect(text == "hello")
    try await listener.closeFuture.get()
    try await threads.shutdownGracefully()
  }

  /// A listener that closes has NIO close the connections that are not registered yet.
  @Test func `one that never becomes active is closed while the server drains`() async throws {
    let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let built = threads.next().makePromise(of: Void.self)
    let connections = OpenConnections()
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let listener = try await ServerBootstrap(group: threads)
      .childChannelInitializer { channel in
        connections.admit(channel, maximum: 10)
        _ = connections.beginBuilding(channel)
        arrived.yield()
        return built.futureResult
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(listener.localAddress?.port)
    let client = try RawClient(port: UInt16(port))
    for await _ in arrivals { break }

    connections.drain()
    try await listener.close()
    built.succeed()
    let rest = try await OffPool.run { client.readToEnd() }

    #expect(rest.isEmpty)
    await Condition.until { connections.servedCount == 0 }
    try await threads.shutdownGracefully()
  }
}
