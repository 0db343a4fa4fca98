public import HTTPCaching
public import ImageModel
import NIOCore
import RedisClustering

extension SharedTier {
  private static let purgePause = Duration.seconds(1)
  private static let readingInterval = Duration.seconds(10)
  /// The time to wait until replicas have a purge, so that a failover does not lose it.
  private static let replicaPatience = Duration.milliseconds(50)
  /// A purge that fails answers 503, and a thread of a busy machine may wait for half a second.
  private static let purgeDeadline = Duration.seconds(2)
  /// The time to delete one object; later tries have as much.
  private static let objectDeadline = Duration.seconds(1)
  private static let maximumParallelCount = 64
  private static let maximumMessageCount = 100

  /// See `SharedResponseTier.purge(_:)`.
  public func purge(_ purge: TierPurge) async throws(TierPurgeFailure) {
    for tag in purge.tags { purgeList.add(tag, at: purge.time) }
    purger.begin(purge.urls)
    guard let (rest, reason) = await write(purge) else { return }
    guard let begins = purger.add(rest) else {
      purger.end(rest.urls)
      for url in rest.urls { purger.setRenewed(url, false) }
      throw TierPurgeFailure(
        description: "the shared tier failed (\(reason)), and too many purges wait for it",
        isRetried: false)
    }
    if begins { Task { await retryPurges() } }
    throw TierPurgeFailure(
      description: "the shared tier failed (\(reason)); the purge is tried again", isRetried: true)
  }

  private func retryPurges() async {
    while true {
      try? await clock.sleep(Self.purgePause)
      let purges = purger.waiting()
      if purges.isEmpty { return }
      for purge in purges {
        let left = await write(purge, isRepeated: true)
        if isShutDown { return }
        purger.replaceFirst(by: left?.rest)
      }
    }
  }

  /// Writes a purge, and returns the part that could not be written, with the reason. It is not
  /// subject to the breaker, for purges are rare, and count.
  func write(
    _ purge: TierPurge, isRepeated: Bool = false
  ) async -> (rest: TierPurge, reason: String)? {
    // What is read from now on was perhaps not purged yet.
    for url in purge.urls { forgetConfirmation(of: ExactString(url)) }
    var (done, rest) = (purge, purge)
    let outcomes = await renewGenerations(of: purge.urls, isRepeated: isRepeated)
    done.urls = purge.urls.filter { outcomes[ExactString($0)]?.isRenewed ?? false }
    rest.urls = purge.urls.filter { outcomes[ExactString($0)]?.failure != nil }
    var failure = outcomes.values.lazy.compactMap(\.failure).first
    if !purge.tags.isEmpty, let error = await list(purge) {
      failure = failure ?? "\(error)"
      done.tags = []
    } else {
      rest.tags = []
    }
    for url in done.urls { forgetConfirmation(of: ExactString(url)) }
    purger.end(done.urls)
    let generations = done.urls.map { names.generation(TierKey(url: $0)) }
    _ = await client.waitForReplica(
      of: generations + (done.tags.isEmpty ? [] : [names.purges]), lane: .background,
      atMost: Self.replicaPatience)
    await announce(done)
    return failure.map { (rest, $0) }
  }

  /// Sends a message, which may be lost: generations and the list compensate for that.
  private func announce(_ purge: TierPurge) async {
    // A line is one name, whatever a name may have in it.
    let lines = (purge.urls.map { "url \($0)" } + purge.tags.map { "tag \($0)" })
      .filter { line in !line.utf8.contains { $0 == 0x0A || $0 == 0x0D } }
    for start in stride(from: 0, to: lines.count, by: Self.maximumMessageCount) {
      let part = lines[start..<min(start + Self.maximumMessageCount, lines.count)]
      let message = (["\(sender) \(purge.time.milliseconds)"] + part).joined(separator: "\n")
      _ = try? await client.send(
        RedisCommand("PUBLISH", [.init(names.channel), .init(message)], keyPosition: nil))
    }
  }

  private struct Renewal {
    var isRenewed = true
    /// The step to repeat, or the reason.
    var failure: String?
  }

  private func renewGenerations(
    of urls: [String], isRepeated: Bool
  ) async -> [ExactString: Renewal] {
    await withTaskGroup(of: (ExactString, Renewal).self) { group in
      var outcomes: [ExactString: Renewal] = [:]
      for (index, url) in urls.enumerated() {
        if index >= Self.maximumParallelCount, let (url, outcome) = await group.next() {
          outcomes[url] = outcome
        }
        group.addTask {
          (ExactString(url), await self.renewGeneration(of: url, isRepeated: isRepeated))
        }
      }
      for await (url, outcome) in group { outcomes[url] = outcome }
      return outcomes
    }
  }

  /// Sets a new generation after which it deletes the object, before the generation may be lost.
  private func renewGeneration(of url: String, isRepeated: Bool) async -> Renewal {
    let key = TierKey(url: url)
    if !isRepeated || !purger.isRenewed(url) {
      do throws(RedisError) {
        _ = try await client.send(
          setting(.random(isOfPurge: true), of: key), lane: .background,
          deadline: Self.purgeDeadline)
      } catch {
        return Renewal(isRenewed: false, failure: "\(error)")
      }
    }
    let failure = await removeObject(of: key, within: Self.objectDeadline)
    if configuration.objects != nil { purger.setRenewed(url, failure != nil) }
    return Renewal(failure: failure)
  }

  private func list(_ purge: TierPurge) async -> RedisError? {
    let numbers = [configuration.maximumLifetime.milliseconds, purge.time.milliseconds]
    do throws(RedisError) {
      _ = try await client.run(
        TierScripts.list, keys: [names.purges],
        arguments: numbers.map { "\($0)" } + purge.tags.map { .init($0) },
        lane: .background, deadline: Self.purgeDeadline)
      return nil
    } catch {
      return error
    }
  }

  /// See `SharedResponseTier.invalidate(_:)`.
  public func invalidate(_ urls: [String]) async {
    var known: [String] = []
    for url in urls {
      let key = TierKey(url: url)
      forgetConfirmation(of: key.url)
      let command = setting(
        .random(isOfPurge: true), of: key, if: configuration.objects == nil ? "XX" : nil)
      let reply = await send(command)
      forgetConfirmation(of: key.url)
      // There may be one although the servers have lost its generation.
      removeObjectLater(of: key)
      if reply == .status("OK") { known.append(url) }
    }
    if !known.isEmpty { await announce(TierPurge(urls: known, time: clock.now())) }
  }

  // MARK: Purges of other servers

  /// See `SharedResponseTier.receivePurges(since:_:)`: by messages within milliseconds, and those
  /// by tag from the list as well, at each subscription and every 10 s.
  public func receivePurges(
    since: Date, _ handler: @escaping @Sendable (TierPurge) async throws -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      let reader = PurgeListReader(self, since: since, handler)
      group.addTask { [clock] in
        while (try? await clock.sleep(Self.readingInterval)) != nil { await reader.read() }
      }
      group.addTask { await self.receiveMessages(reader) }
      await group.waitForAll()
    }
  }

  private func receiveMessages(_ reader: PurgeListReader) async {
    for await event in client.subscribe(to: [names.channel]) {
      switch event {
      case .subscribed:
        // Since the last subscription messages may have been missed. Those that come are not to wait.
        forgetConfirmations()
        Task { await reader.read() }
      case .lost: forgetConfirmations()
      case .message(_, let payload):
        guard let purge = self.purge(in: String(buffer: payload)) else { continue }
        for tag in purge.tags { purgeList.add(tag, at: purge.time) }
        for url in purge.urls { forgetConfirmation(of: ExactString(url)) }
        count { $0.receivedPurges += 1 }
        await reader.handle(purge)
      }
    }
  }

  /// Reads a message; `nil` for one of this tier, or of no kind that is known.
  private func purge(in message: String) -> TierPurge? {
    let lines = message.unicodeScalars.split(separator: "\n").map { String($0) }
    let head = lines.first?.split(separator: " ") ?? []
    guard head.count == 2, head[0] != sender, let time = Int64(head[1]) else { return nil }
    // Whatever the other clock says.
    var purge = TierPurge(time: min(Date(milliseconds: time), clock.now()))
    for line in lines.dropFirst() {
      if line.hasPrefix("url ") { purge.urls.append(String(line.dropFirst(4))) }
      if line.hasPrefix("tag ") { purge.tags.append(String(line.dropFirst(4))) }
    }
    return purge
  }
}

private actor PurgeListReader {
  private let tier: SharedTier
  private let handler: @Sendable (TierPurge) async throws -> Void
  private var undone: [TierPurge] = []
  /// The servers' time from which on purges are read, in milliseconds.
  private var start: Int64
  /// Clocks differ, and a purge may be listed a moment after a later one was read.
  private static let overlap: Int64 = 60_000

  init(
    _ tier: SharedTier, since: Date, _ handler: @escaping @Sendable (TierPurge) async throws -> Void
  ) {
    self.tier = tier
    self.handler = handler
    start = since.milliseconds
  }

  func handle(_ purge: TierPurge) async {
    do {
      try await handler(purge)
    } catch {
      // URLs are found to be of another generation. Bounded: each tag once.
      for tag in purge.tags {
        undone.removeAll { $0.tags == [tag] }
        undone.append(TierPurge(tags: [tag], time: purge.time))
      }
    }
  }

  func read() async {
    let again = undone
    undone = []
    for purge in again { await handle(purge) }
    let from = max(start - Self.overlap, 0)
    let command = RedisCommand(
      "ZRANGEBYSCORE", [tier.names.purges, "\(from)", "+inf", "WITHSCORES"], isReadOnly: true)
    guard let reply = await tier.send(command, lane: .background, deadline: .seconds(5))?.array
    else { return }
    for index in stride(from: 0, to: reply.count - 1, by: 2) {
      // The time of the purge, a space, and the tag.
      guard let member = reply[index].text, let space = member.firstIndex(of: " "),
        let milliseconds = Int64(member[..<space]),
        let score = reply[index + 1].text.flatMap({ Double($0) }), !score.isNaN
      else { continue }
      let tag = String(member[member.index(after: space)...])
      let time = min(Date(milliseconds: milliseconds), tier.clock.now())
      start = max(start, Int64(min(max(score, 0), 9e15)))
      if tier.purgeList.add(tag, at: time) {
        tier.count { $0.receivedPurges += 1 }
        await handle(TierPurge(tags: [tag], time: time))
      }
    }
  }
}

extension Date {
  var milliseconds: Int64 { Int64(min(max(timeIntervalSince1970 * 1000, -9e15), 9e15).rounded()) }

  init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
