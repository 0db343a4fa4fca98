import NIOCore

/// Commands on their way: which have a reply, and where they were tried. Confined to an event loop.
final class CommandRun {
  enum Place: Sendable, Hashable {
    case anywhere
    case slot(Int)
    case server(RedisEndpoint)
  }

  let place: Place
  let lane: RedisLane
  let deadline: NIODeadline
  /// Whether replicas may execute all of them.
  let isReadOnly: Bool
  private let commands: [RedisCommand]
  private var replies: [RedisValue?]
  private var completion: ((Result<[RedisValue], RedisError>) -> Void)?
  var tryCount = 0
  private(set) var failed: Set<RedisEndpoint> = []
  var hasWaited = false
  var lastError: RedisError?

  /// The most tries, redirections among them.
  static let maximumTryCount = 4

  init(
    _ commands: [RedisCommand], at place: Place, lane: RedisLane,
    until deadline: NIODeadline, completion: @escaping (Result<[RedisValue], RedisError>) -> Void
  ) {
    self.commands = commands
    self.place = place
    self.lane = lane
    self.deadline = deadline
    self.completion = completion
    isReadOnly = commands.allSatisfy { $0.isReadOnly }
    replies = Array(repeating: nil, count: commands.count)
  }

  var open: [Int] { replies.indices.filter { replies[$0] == nil } }

  func command(_ position: Int) -> RedisCommand { commands[position] }

  func record(_ failure: RedisError, of node: RedisEndpoint) {
    failed.insert(node)
    lastError = failure
  }

  func setReply(_ reply: RedisValue, at position: Int) { replies[position] = reply }

  func finish() { end(.success(replies.map { $0 ?? .null })) }

  func fail(_ error: RedisError) { end(.failure(error)) }

  private func end(_ result: Result<[RedisValue], RedisError>) {
    let completion = completion
    self.completion = nil
    completion?(result)
  }
}
