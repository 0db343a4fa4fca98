import NIOCore

/// A server with its connections, and whether it is left alone. Confined to its event loop.
final class RedisNode {
  let endpoint: RedisEndpoint
  private let connector: RedisConnector
  private let downTime: TimeAmount
  private var connections: [RedisLane: RedisConnection] = [:]
  private var downUntil: NIODeadline?
  /// Why it is left alone, or was last.
  private(set) var failure: RedisError?

  init(_ endpoint: RedisEndpoint, _ connector: RedisConnector, downTime: TimeAmount) {
    self.endpoint = endpoint
    self.connector = connector
    self.downTime = downTime
  }

  func isDown(at now: NIODeadline) -> Bool { downUntil.map { $0 > now } ?? false }

  /// Whether it may be tried. Of a node that was down, one try at a time finds out.
  func admits(at now: NIODeadline, probing: TimeAmount) -> Bool {
    guard let until = downUntil else { return true }
    guard until <= now else { return false }
    downUntil = now + probing
    return true
  }

  func markUp() { downUntil = nil }

  func connection(_ lane: RedisLane) -> RedisConnection {
    if let connection = connections[lane] { return connection }
    let connection = RedisConnection(to: endpoint, connector) { [weak self] error in
      guard let self else { return }
      failure = error
      downUntil = .now() + downTime
    }
    connections[lane] = connection
    return connection
  }

  func close(_ error: RedisError) {
    for connection in connections.values { connection.close(error) }
  }
}
