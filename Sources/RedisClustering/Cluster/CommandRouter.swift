import NIOCore

/// Sends commands to the nodes that have their slots, and follows the cluster when it changes.
/// Confined to its event loop.
final class CommandRouter {
  private let connector: RedisConnector
  private let configuration: RedisConfiguration
  private let loop: any EventLoop
  private var topology: ClusterTopology?
  private var nodes: [RedisEndpoint: RedisNode] = [:]
  private var waiting: [CommandRun] = []
  private var refresh = Refresh()
  private var subscriptions: [SubscriptionLoop] = []
  private var isShutDown = false

  private struct Refresh {
    var isRunning = false
    var began: NIODeadline?
    var failure: RedisError?
  }

  /// The age at which a topology is requested again, although nothing has failed. A replica of a
  /// young cluster that has received nothing yet is not listed.
  private var maximumTopologyAge: TimeAmount {
    topology?.hasMastersAlone == true ? .seconds(2) : .seconds(30)
  }
  /// The time until a command is sent again whose keys are being moved.
  private static let pauseWhileMoving = TimeAmount.milliseconds(5)

  init(_ configuration: RedisConfiguration, on loop: any EventLoop) throws(RedisError) {
    self.configuration = configuration
    self.loop = loop
    connector = try RedisConnector(configuration, on: loop)
  }

  func shutDown() {
    isShutDown = true
    let error = RedisError(.shutDown, "the client was shut down")
    for node in nodes.values { node.close(error) }
    nodes = [:]
    failWaiting(error)
    for subscription in subscriptions { subscription.stop() }
    subscriptions = []
  }

  var status: RedisStatus {
    let now = NIODeadline.now()
    var status = RedisStatus()
    guard let topology else { return status }
    status.isCluster = topology.isCluster
    status.masters = topology.shards.map(\.master)
    status.replicas = topology.shards.flatMap(\.replicas)
    status.down = nodes.values.filter { $0.isDown(at: now) }.map(\.endpoint)
    status.uncoveredSlotCount = topology.uncoveredCount
    return status
  }

  // MARK: Subscriptions

  /// Begins a subscription, which ends when its events are not read any more.
  func subscribe(
    to channels: [String], _ continuation: AsyncStream<RedisSubscriptionEvent>.Continuation
  ) {
    guard !isShutDown else { return continuation.finish() }
    subscriptions.removeAll { $0.isStopped }
    let made = SubscriptionLoop(channels, connector, continuation) { [weak self] in
      self?.candidates(at: .now()) ?? []
    }
    subscriptions.append(made)
    let (loop, bound) = (loop, NIOLoopBound(made, eventLoop: loop))
    continuation.onTermination = { _ in loop.execute { bound.value.stop() } }
    made.connect()
  }

  func mastersWithReplicas(of slots: Set<Int>) -> Set<RedisEndpoint> {
    guard let topology else { return [] }
    return Set(
      slots.compactMap { topology.shard(of: $0) }.filter { !$0.replicas.isEmpty }.map(\.master))
  }

  // MARK: Runs

  func run(_ run: CommandRun) {
    guard !isShutDown else {
      return run.fail(RedisError(.shutDown, "the client was shut down"))
    }
    let now = NIODeadline.now()
    if case .server = run.place { return attempt(run) }
    guard topology == nil else {
      if let began = refresh.began, began + maximumTopologyAge < now { refreshTopology() }
      return attempt(run)
    }
    refreshTopology()
    // Where the servers have just been asked in vain, nothing is gained by waiting.
    guard refresh.isRunning else {
      return run.fail(refresh.failure ?? RedisError(.nodeDown, "no server is known"))
    }
    wait(run)
  }

  /// Holds a run until the servers have returned their nodes, or have failed to.
  private func wait(_ run: CommandRun) {
    run.hasWaited = true
    waiting.append(run)
    loop.assumeIsolated().scheduleTask(deadline: run.deadline) { [self] in
      guard let index = waiting.firstIndex(where: { $0 === run }) else { return }
      waiting.remove(at: index)
      run.fail(
        run.lastError ?? RedisError(.timedOut, "no server returned the cluster's nodes in time"))
    }
  }

  private func failWaiting(_ error: RedisError) {
    let failed = waiting
    waiting = []
    for run in failed { run.fail(error) }
  }

  /// Sends what has no reply yet to a node that was not tried.
  private func attempt(_ run: CommandRun) {
    let now = NIODeadline.now()
    guard now < run.deadline else {
      return run.fail(run.lastError ?? RedisError(.timedOut, "no node answered in time"))
    }
    let known = nodes(for: run)
    let untried = known.filter { !run.failed.contains($0) }
    let probing = TimeAmount(configuration.deadline / 2)
    guard let node = untried.first(where: { node($0).admits(at: now, probing: probing) }) else {
      refreshTopology()
      // Another node may have the slot by now.
      if run.isReadOnly, refresh.isRunning, !run.hasWaited { return wait(run) }
      let error =
        known.isEmpty
        ? RedisError(.slotNotCovered, "no node has the slot of the key")
        : RedisError(
          .nodeDown, node(known[0]).failure?.message ?? "failed a moment ago", node: known[0])
      return run.fail(run.lastError ?? error)
    }
    // Another node has to have time to answer.
    let isFirst = run.failed.isEmpty && untried.count > 1
    let limit = isFirst ? now + TimeAmount.nanoseconds((run.deadline - now).nanoseconds / 2) : nil
    send(run, to: node, until: limit ?? run.deadline, asking: false)
  }

  /// The nodes that may have a run, the best one first.
  private func nodes(for run: CommandRun) -> [RedisEndpoint] {
    if case .server(let server) = run.place { return [server] }
    guard let topology else { return [] }
    guard case .slot(let slot) = run.place else {
      return topology.shards.map(\.master)
        + (run.isReadOnly ? topology.shards.flatMap(\.replicas) : [])
    }
    guard let shard = topology.shard(of: slot) else { return [] }
    return run.isReadOnly ? [shard.master] + shard.replicas : [shard.master]
  }

  private func node(_ endpoint: RedisEndpoint) -> RedisNode {
    if let node = nodes[endpoint] { return node }
    let node = RedisNode(endpoint, connector, downTime: TimeAmount(configuration.downTime))
    nodes[endpoint] = node
    return node
  }

  private func send(
    _ run: CommandRun, to endpoint: RedisEndpoint, until limit: NIODeadline, asking: Bool
  ) {
    guard run.tryCount < CommandRun.maximumTryCount else {
      return run.fail(
        run.lastError
          ?? RedisError(.tooManyRedirections, "sent on more than \(run.tryCount) times"))
    }
    run.tryCount += 1
    let positions = run.open
    let commands = positions.flatMap { position in
      asking ? [RedisCommand("ASKING"), run.command(position)] : [run.command(position)]
    }
    let batch = RedisConnection.Batch(commands, until: limit) { [self] result in
      switch result {
      case .success(let replies):
        node(endpoint).markUp()
        let answers = asking ? replies.indices.filter { $0 % 2 == 1 }.map { replies[$0] } : replies
        receive(Array(zip(positions, answers)), for: run, from: endpoint)
      case .failure(let error): fail(run, error, at: endpoint)
      }
    }
    node(endpoint).connection(run.lane).send(batch)
  }

  /// Processes replies, and follows redirections to the present location of keys.
  private func receive(
    _ replies: [(position: Int, reply: RedisValue)], for run: CommandRun,
    from endpoint: RedisEndpoint
  ) {
    var target: Redirection?
    var isMoving = false
    var isUnavailable = false
    for (position, reply) in replies {
      guard case .error(let error) = reply else {
        run.setReply(reply, at: position)
        continue
      }
      if let redirection = Redirection(error, from: endpoint) {
        target = redirection
        run.lastError = RedisError(.tooManyRedirections, error.message, node: endpoint)
      } else if error.kind == "TRYAGAIN" {
        isMoving = true
        run.lastError = error.of(endpoint)
      } else if ["LOADING", "MASTERDOWN", "CLUSTERDOWN"].contains(error.kind) {
        isUnavailable = true
        run.record(error.of(endpoint), of: endpoint)
      } else {
        run.setReply(reply, at: position)
      }
    }
    switch target {
    case .moved(let slot, let node):
      topology?.move(slot, to: node)
      refreshTopology()
      send(run, to: node, until: run.deadline, asking: false)
    case .ask(let node): send(run, to: node, until: run.deadline, asking: true)
    case nil where isMoving: pause(run, at: endpoint)
    case nil where isUnavailable:
      // It may be cut off from the others, and not know what they do.
      refreshTopology(askingLast: endpoint)
      attempt(run)
    case nil: run.finish()
    }
  }

  private func pause(_ run: CommandRun, at endpoint: RedisEndpoint) {
    loop.assumeIsolated().scheduleTask(in: Self.pauseWhileMoving) { [self] in
      guard NIODeadline.now() < run.deadline, !isShutDown else {
        return run.fail(run.lastError ?? RedisError(.timedOut, "the keys are being moved"))
      }
      send(run, to: endpoint, until: run.deadline, asking: false)
    }
  }

  private func fail(_ run: CommandRun, _ error: RedisError, at endpoint: RedisEndpoint) {
    guard !isShutDown, error.code != .saturated else { return run.fail(error) }
    run.record(error, of: endpoint)
    refreshTopology(askingLast: endpoint)
    // A write may have been executed.
    if run.isReadOnly { attempt(run) } else { run.fail(error) }
  }

  // MARK: Topology

  /// Requests the nodes of the cluster, of a doubted one last, unless that was done recently.
  private func refreshTopology(askingLast doubted: RedisEndpoint? = nil) {
    let now = NIODeadline.now()
    let isRecent = refresh.began.map { $0 + TimeAmount(configuration.topologyInterval) > now }
    guard !refresh.isRunning, isRecent != true, !isShutDown else { return }
    refresh.isRunning = true
    refresh.began = now
    let candidates = candidates(at: now)
    askForTopology((candidates.filter { $0 != doubted } + candidates.filter { $0 == doubted })[...])
  }

  /// All servers to try, those that are considered down last.
  private func candidates(at now: NIODeadline) -> [RedisEndpoint] {
    var seen: Set<RedisEndpoint> = []
    let known = (topology?.shards ?? []).flatMap { [$0.master] + $0.replicas }
    let all = (known + configuration.servers).filter { seen.insert($0).inserted }
    let isDown = { [nodes] endpoint in nodes[endpoint]?.isDown(at: now) ?? false }
    return all.filter { !isDown($0) } + all.filter(isDown)
  }

  private func askForTopology(_ candidates: ArraySlice<RedisEndpoint>) {
    guard let endpoint = candidates.first else {
      refresh.isRunning = false
      let error = refresh.failure ?? RedisError(.nodeDown, "no server is known")
      return failWaiting(error)
    }
    let batch = RedisConnection.Batch(
      [RedisCommand("CLUSTER", ["SLOTS"], keyPosition: nil)],
      until: .now() + TimeAmount(configuration.deadline)
    ) { [self] result in
      guard !isShutDown else { return }
      do throws(RedisError) {
        try adopt(try result.get()[0], from: endpoint)
      } catch {
        refresh.failure = error
        askForTopology(candidates.dropFirst())
      }
    }
    node(endpoint).connection(.interactive).send(batch)
  }

  private func adopt(_ reply: RedisValue, from endpoint: RedisEndpoint) throws(RedisError) {
    let found: ClusterTopology
    switch reply {
    case .error(let error) where error.message.contains("cluster support disabled"):
      // Each of several such servers would have its own values.
      guard Set(configuration.servers).count == 1 else {
        throw RedisError(
          .serverError, "is not part of a cluster; name it alone, or the nodes of one cluster",
          node: endpoint)
      }
      found = ClusterTopology(single: endpoint)
    case .error(let error): throw error.of(endpoint)
    default:
      guard let read = ClusterTopology(reply, from: endpoint) else {
        throw RedisError(
          .protocolViolation, "sent something else than the slots of a cluster", node: endpoint)
      }
      guard !read.shards.isEmpty else {
        throw RedisError(.slotNotCovered, "knows no node that has slots", node: endpoint)
      }
      found = read
    }
    topology = found
    (refresh.isRunning, refresh.failure) = (false, nil)
    let kept = found.endpoints.union(configuration.servers)
    for (endpoint, node) in nodes where !kept.contains(endpoint) {
      nodes[endpoint] = nil
      node.close(RedisError(.connectionFailed, "has left the cluster", node: endpoint))
    }
    // A server that was removed goes on, and receives no messages any more.
    for subscription in subscriptions where found.isCluster {
      subscription.leave(unless: found.endpoints)
    }
    let runs = waiting
    waiting = []
    for run in runs { attempt(run) }
  }
}
