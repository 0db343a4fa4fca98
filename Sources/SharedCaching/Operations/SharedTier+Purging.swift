import ImageModel
import NIOCore
import RedisClustering

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is purged on all servers: sources with all their variants.
public struct TierPurge: Sendable, Hashable {
  /// The URLs of sources, as the keys of local entries spell them.
  public var urls: [String]
  /// The tags of sources.
  public var tags: [String]
  /// When; what was fetched later is not purged.
  public var time: Date

  /// Creates a purge.
  public init(urls: [String] = [], tags: [String] = [], time: Date) {
    self.urls = urls
    self.tags = tags
    self.time = time
  }
}

/// A purge was not written to all servers. It is tried again for as long as the process runs.
public struct TierPurgeFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// Why, for people.
  public let description: String
  /// Whether it is tried again: not if too many wait already.
  public let isRetried: Bool
}

extension SharedTier {
  /// The time between two tries to write purges that failed.
  private static let purgePause = Duration.seconds(1)
  /// The time to wait until a replica has a purge, so that a failover does not lose it.
  private static let replicaPatience = 50
  private static let purgeDeadline = Duration.milliseconds(500)
  private static let maximumParallelCount = 16
  /// Sources named in one message.
  private static let maximumMessageCount = 100

  /// Purges sources from the tier, and tells all servers, which forget their local copies.
  ///
  /// - Throws: ``TierPurgeFailure`` when the servers have not taken it over yet.
  public func purge(_ purge: TierPurge) async throws(TierPurgeFailure) {
    for tag in purge.tags { purgeList.add(tag, at: purge.time) }
    for url in purge.urls { forgetConfirmation(of: ExactString(url)) }
    do throws(RedisError) {
      try await write(purge)
    } catch {
      guard let begins = purger.add(purge) else {
        throw TierPurgeFailure(
          description: "the shared tier failed (\(error)), and too many purges wait for it",
          isRetried: false)
      }
      if begins { Task { await retryPurges() } }
      throw TierPurgeFailure(
        description: "the shared tier failed (\(error)); the purge is tried again", isRetried: true)
    }
  }

  private func retryPurges() async {
    while let purge = purger.first() {
      try? await clock.sleep(Self.purgePause)
      do throws(RedisError) {
        try await write(purge)
        purger.removeFirst()
      } catch  where error.code == .shutDown {
        return
      } catch {}
    }
  }

  /// Purges are not subject to the breaker: they are rare, and count.
  private func write(_ purge: TierPurge) async throws(RedisError) {
    try await renewGenerations(of: purge.urls)
    if !purge.tags.isEmpty { try await list(purge) }
    // A line is one name, whatever a name may have in it.
    let lines = (purge.urls.map { "url \($0)" } + purge.tags.map { "tag \($0)" })
      .filter { !$0.utf8.contains(0x0A) }
    for start in stride(from: 0, to: lines.count, by: Self.maximumMessageCount) {
      let part = lines[start..<min(start + Self.maximumMessageCount, lines.count)]
      let message = (["\(Self.sender) \(purge.time.milliseconds)"] + part).joined(separator: "\n")
      // A message that is lost is made good by generations and by the list.
      _ = try? await client.send(
        RedisCommand(
          "PUBLISH", [names.channelArgument, RedisCommand.Argument(message)], keyPosition: nil))
    }
  }

  private func renewGenerations(of urls: [String]) async throws(RedisError) {
    let failure = await withTaskGroup(of: RedisError?.self) { group in
      var failure: RedisError?
      for (index, url) in urls.enumerated() {
        if index >= Self.maximumParallelCount { failure = await group.next() ?? nil ?? failure }
        group.addTask { await self.renewGeneration(of: url) }
      }
      for await ended in group { failure = failure ?? ended }
      return failure
    }
    if let failure { throw failure }
  }

  private func renewGeneration(of url: String) async -> RedisError? {
    let commands = [
      RedisCommand(
        "SET",
        [
          names.generation(TierKey(url: url)), RedisCommand.Argument(TierGeneration.random().text),
          "PX", RedisCommand.Argument(Int(configuration.maximumLifetime.milliseconds)),
        ]), Self.waitForReplica,
    ]
    return await failure(of: commands)
  }

  /// Adds tags to the list that servers read.
  private func list(_ purge: TierPurge) async throws(RedisError) {
    let score = purge.time.milliseconds
    let oldest = score - configuration.maximumLifetime.milliseconds
    var arguments = [names.purges, "GT"]
    for tag in purge.tags { arguments += ["\(score)", RedisCommand.Argument(tag)] }
    let commands = [
      RedisCommand("ZADD", arguments),
      RedisCommand("ZREMRANGEBYSCORE", [names.purges, "-inf", "(\(oldest)"]),
      RedisCommand(
        "PEXPIRE",
        [names.purges, RedisCommand.Argument(Int(configuration.maximumLifetime.milliseconds))]),
      Self.waitForReplica,
    ]
    if let failure = await failure(of: commands) { throw failure }
  }

  private static let waitForReplica = RedisCommand(
    "WAIT", [1, RedisCommand.Argument(replicaPatience)], keyPosition: nil)

  /// The first error of commands for one node, the last of which needs not succeed.
  private func failure(of commands: [RedisCommand]) async -> RedisError? {
    do throws(RedisError) {
      let replies = try await client.send(commands, lane: .bulk, deadline: Self.purgeDeadline)
      for reply in replies.dropLast() {
        if case .error(let error) = reply { return RedisError(.serverError, error.message) }
      }
      return nil
    } catch {
      return error
    }
  }

  /// Names this process in messages.
  private static let sender = String(UInt64.random(in: .min ... .max), radix: 16)

  // MARK: Purges of other servers

  /// Receives the purges of other servers until the task is cancelled: by messages within
  /// milliseconds, and those by tag from the list as well, at each subscription and every 10 s.
  ///
  /// Purges by URL whose message was lost are noticed when a local copy is confirmed.
  ///
  /// - Parameters:
  ///   - since: The list is read from this moment on: when local copies were last kept up to date.
  ///   - handler: Forgets local copies of what was fetched before the purge.
  public func receivePurges(
    since: Date, _ handler: @escaping @Sendable (TierPurge) async -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      let reader = PurgeListReader(self, since: since, handler)
      group.addTask { [clock, configuration] in
        while (try? await clock.sleep(configuration.purgeReadingInterval)) != nil {
          await reader.read()
        }
      }
      group.addTask { await self.receiveMessages(reader, handler) }
      await group.waitForAll()
    }
  }

  private func receiveMessages(
    _ reader: PurgeListReader, _ handler: @Sendable (TierPurge) async -> Void
  ) async {
    for await event in client.subscribe(to: [names.channel]) {
      switch event {
      case .subscribed:
        // Since the last subscription messages may have been missed.
        forgetConfirmations()
        await reader.read()
      case .lost: forgetConfirmations()
      case .message(_, let payload):
        guard let purge = Self.purge(in: String(buffer: payload)) else { continue }
        for tag in purge.tags { purgeList.add(tag, at: purge.time) }
        for url in purge.urls { forgetConfirmation(of: ExactString(url)) }
        count { $0.receivedPurges += 1 }
        await handler(purge)
      }
    }
  }

  /// Reads a message; `nil` for one of this process, or of no kind that is known.
  private static func purge(in message: String) -> TierPurge? {
    let lines = message.split(separator: "\n")
    let head = lines.first?.split(separator: " ") ?? []
    guard head.count == 2, head[0] != sender, let time = Int64(head[1]) else { return nil }
    var purge = TierPurge(time: Date(milliseconds: time))
    for line in lines.dropFirst() {
      if line.hasPrefix("url ") { purge.urls.append(String(line.dropFirst(4))) }
      if line.hasPrefix("tag ") { purge.tags.append(String(line.dropFirst(4))) }
    }
    return purge
  }
}

/// Reads the purges by tag that are new.
private actor PurgeListReader {
  private let tier: SharedTier
  private let handler: @Sendable (TierPurge) async -> Void
  private var since: Date
  /// Purges may be listed after later ones, for the clocks of servers differ.
  private static let overlap: TimeInterval = 60

  init(
    _ tier: SharedTier, since: Date, _ handler: @escaping @Sendable (TierPurge) async -> Void
  ) {
    self.tier = tier
    self.since = since
    self.handler = handler
  }

  func read() async {
    let began = tier.clock.now()
    let from = max(since.addingTimeInterval(-Self.overlap).milliseconds, 0)
    let command = RedisCommand(
      "ZRANGEBYSCORE", [tier.names.purges, "\(from)", "+inf", "WITHSCORES"], isReadOnly: true)
    guard
      let reply = await tier.call({ () throws(RedisError) in
        try await tier.client.send(command, lane: .bulk, deadline: .seconds(5))
      })?.array
    else { return }
    for index in stride(from: 0, to: reply.count - 1, by: 2) {
      guard let tag = reply[index].text, let score = reply[index + 1].text.flatMap({ Double($0) })
      else { continue }
      let time = Date(milliseconds: Int64(min(max(score, 0), 9e15)))
      if tier.purgeList.add(tag, at: time) {
        tier.count { $0.receivedPurges += 1 }
        await handler(TierPurge(tags: [tag], time: time))
      }
    }
    since = max(since, began)
  }
}

extension Date {
  /// Milliseconds since 1970.
  var milliseconds: Int64 { Int64(min(max(timeIntervalSince1970 * 1000, -9e15), 9e15).rounded()) }

  init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
