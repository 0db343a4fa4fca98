import Foundation
import ImageModel
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import HTTPListening
@testable import TestSupport

/// The ends of connections: above the limit, and when the server drains.
@Suite struct `The end of a connection` {
  private static let problem = Problem(
    .serviceUnavailable, "too_many", "Too many connections.", retryAfter: 7)
  private static let dates = DateField { Date(timeIntervalSince1970: 784_111_777) }

  private func refused(lingers: Bool) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(
      handler: RefusalHandler(Self.problem, Self.dates, lingers: lingers))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return channel
  }

  @Test func `above the limit comes after a second or the request, above twice the limit at once`()
    throws
  {
    let silent = try refused(lingers: true)
    let talking = try refused(lingers: true)

    #expect(silent.isActive && talking.isActive)
    #expect(try !refused(lingers: false).isActive)
    try talking.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n"))
    #expect(!talking.isActive)
    #expect(try talking.readInbound(as: ByteBuffer.self) == nil)
    silent.embeddedEventLoop.advanceTime(by: .milliseconds(999))
    #expect(silent.isActive)
    silent.embeddedEventLoop.advanceTime(by: .milliseconds(1))
    #expect(!silent.isActive)
  }

  // MARK: Closing

  /// Holds flushed writes back until the test lets them go, as a slow client does.
  private final class SlowClient: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData
    var promises: [EventLoopPromise<Void>?] = []

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      promises.append(promise)
    }

    func letGo() {
      for promise in promises { promise?.succeed(()) }
      promises = []
    }
  }

  private func connected() throws -> (EmbeddedChannel, SlowClient) {
    let client = SlowClient()
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(client)
    try channel.pipeline.syncOperations.addHandler(ConnectionTimer(limits: ConnectionLimits()))
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    return (channel, client)
  }

  @Test func `waits for what was written, however often it is closed`() throws {
    let (channel, client) = try connected()

    channel.writeAndFlush(IOData.byteBuffer(ByteBuffer(string: "response")), promise: nil)
    for _ in 0..<2 {
      channel.close(promise: nil)
      channel.embeddedEventLoop.run()
      #expect(channel.isActive)
    }
    client.letGo()
    channel.embeddedEventLoop.run()

    #expect(!channel.isActive)
  }

  @Test func `does not wait when the time for draining is over`() throws {
    let (channel, _) = try connected()
    channel.writeAndFlush(IOData.byteBuffer(ByteBuffer(string: "response")), promise: nil)

    channel.close(promise: nil)
    channel.pipeline.fireUserInboundEventTriggered(ConnectionTimer.Cut())
    channel.embeddedEventLoop.run()

    #expect(!channel.isActive)
  }

  // MARK: The limit

  private func admissions(_ count: Int, maximum: Int) throws -> (
    OpenConnections, [EmbeddedChannel], [OpenConnections.Admission]
  ) {
    let connections = OpenConnections()
    let channels = (0..<count).map { _ in EmbeddedChannel() }
    for channel in channels {
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
      connections.admit(channel, maximum: maximum)
    }
    return (connections, channels, channels.map { connections.beginBuilding($0) })
  }

  @Test func `above the limit is decided in the order of arrival`() throws {
    let (connections, channels, admissions) = try admissions(6, maximum: 2)

    #expect(
      admissions == [
        .served, .served, .refused(lingers: true), .refused(lingers: false),
        .refused(lingers: false), .refused(lingers: false),
      ])
    #expect(connections.servedCount == 2 && connections.refusedTotal == 4)
    for channel in channels { _ = try? channel.finish() }
  }

  @Test
  func `makes room for another one, if the connection was served, and tells each observer once`()
    throws
  {
    let (connections, channels, _) = try admissions(3, maximum: 2)
    let calls = Locked(0)
    func close(_ channel: EmbeddedChannel) {
      channel.close(promise: nil)
      channel.embeddedEventLoop.run()
    }

    close(channels[2])
    #expect(connections.servedCount == 2)
    connections.onNextClose { calls.withLock { $0 += 1 } }
    close(channels[0])
    #expect(connections.servedCount == 1)
    let next = EmbeddedChannel()
    connections.admit(next, maximum: 2)
    #expect(connections.beginBuilding(next) == .served)
    #expect(connections.refusedTotal == 1)
    close(channels[1])
    #expect(calls.withLock { $0 } == 1)
    _ = try? next.finish()
  }

  @Test func `when the time is over is noted if any was open`() throws {
    let (connections, channels, _) = try admissions(1, maximum: 2)

    connections.cut()
    channels[0].embeddedEventLoop.run()
    #expect(connections.wasCut)
    #expect(!channels[0].isActive)
    connections.begin()
    #expect(!connections.wasCut)
    connections.cut()
    #expect(!connections.wasCut)
  }

  @Test func `has a date that changes with the second`() {
    let clock = ManualClock(Date(timeIntervalSince1970: 784_111_777.2))
    let dates = DateField { clock.now }

    #expect(dates.text == "Sun, 06 Nov 1994 08:49:37 GMT")
    clock.advance(by: 0.7)
    #expect(dates.text == "Sun, 06 Nov 1994 08:49:37 GMT")
    clock.advance(by: 0.2)
    #expect(dates.text == "Sun, 06 Nov 1994 08:49:38 GMT")
    clock.advance(by: -3600)
    #expect(dates.text == "Sun, 06 Nov 1994 07:49:38 GMT")
  }
}
