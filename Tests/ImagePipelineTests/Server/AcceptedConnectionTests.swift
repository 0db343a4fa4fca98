import NIOCore
import NIOPosix
import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `Accepted connections` {
  /// NIO ends the process where such a one is let go as it is.
  @Test func `one that nobody takes is closed, and the process goes on`() async throws {
    let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let listener = try await ServerBootstrap(group: threads)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          _ = try AcceptedConnection<ByteBuffer, ByteBuffer>(wrapping: channel)
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(listener.localAddress?.port)

    let client = try RawClient(port: UInt16(port))
    let rest = try await OffPool.run { client.readToEnd() }

    #expect(rest.isEmpty)
    try await listener.close()
    try await threads.shutdownGracefully()
  }
}
