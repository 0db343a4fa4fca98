import HTTPListening
import HTTPTypes
import ImageFeeds
import ImageModel
import TextEncodings

/// The refreshes in progress, one a day, and the clients that watch them.
final class DayRefreshes: Sendable {
  enum Event: Sendable, Hashable {
    case progress(RefreshProgress)
    case done(RefreshProgress)
    case failed(code: String, message: String)

    var isLast: Bool {
      if case .progress = self { false } else { true }
    }

    var day: String? {
      switch self {
      case .progress(let progress), .done(let progress): progress.day?.description
      case .failed: nil
      }
    }

    /// The event in an event stream (HTML Living Standard, server-sent events).
    var text: String {
      let (name, data): (String, JSONLine) =
        switch self {
        case .progress(let progress):
          (
            "progress",
            [
              "done": progress.done, "failed": progress.failed, "total": progress.total,
              "url": progress.url.map { $0 as any JSONValue } ?? JSONNull(),
            ]
          )
        case .done(let progress):
          (
            "done",
            [
              "cached": progress.cached, "downloaded": progress.downloaded,
              "failed": progress.failed, "images": progress.total,
              "revalidated": progress.revalidated,
            ]
          )
        case .failed(let code, let message): ("failed", ["code": code, "message": message])
        }
      return "event: \(name)\ndata: \(data)\n\n"
    }
  }

  private struct Run {
    var latest: Event
    var watchers: [Int: AsyncStream<Event>.Continuation] = [:]
    var task: Task<Void, Never>?
  }
  private struct State {
    var runs: [String: Run] = [:]
    var lastID = 0
    var isDraining = false
    var wasCut = false

    /// The name of the run that a name means: one in progress under another name of the same day
    /// goes before one of that name that has ended.
    func name(for name: String) -> String {
      if let run = runs[name], !run.latest.isLast { return name }
      return runs.first { !$0.value.latest.isLast && $0.value.latest.day == name }?.key ?? name
    }
  }
  private static let maximumRunning = 16
  /// The maximum number of ended refreshes whose last event is kept.
  private static let maximumKnown = 256

  private let state = Locked(State())
  private let days: any DayProviding
  private let finished: @Sendable () -> Void

  /// - Parameter finished: Called after each refresh that changed something.
  init(days: any DayProviding, finished: @escaping @Sendable () -> Void) {
    self.days = days
    self.finished = finished
  }

  /// - Throws: ``Problem``: 409 while one of that day runs, 503 while many others do or the server
  ///   stops.
  func start(_ query: DayQuery, named name: String) throws(Problem) {
    let refusal = state.withLock { state -> Problem? in
      guard !state.isDraining else { return .busy }
      if let run = state.runs[state.name(for: name)], !run.latest.isLast {
        return Problem(.conflict, "refresh_running", "This day is being refreshed already.")
      }
      guard state.runs.values.count(where: { !$0.latest.isLast }) < Self.maximumRunning else {
        return .busy
      }
      if state.runs.count >= Self.maximumKnown {
        state.runs = state.runs.filter { !$0.value.latest.isLast }
      }
      // A run that ended has no watchers left.
      state.runs[name] = Run(latest: .progress(RefreshProgress()))
      state.runs[name]?.task = Task { [self] in await refresh(query, name) }
      return nil
    }
    if let refusal { throw refusal }
  }

  private func refresh(_ query: DayQuery, _ name: String) async {
    do {
      let result = try await days.refresh(query) { [self] in send(.progress($0), name) }
      finished()
      send(.done(result), name)
    } catch {
      let problem = (error as? ImageError).map(Problem.init) ?? .busy
      send(.failed(code: problem.code, message: problem.detail), name)
    }
  }

  /// Unless the run has ended.
  private func send(_ event: Event, _ name: String) {
    let watchers = state.withLock { state -> [AsyncStream<Event>.Continuation] in
      guard let run = state.runs[name], !run.latest.isLast else { return [] }
      state.runs[name]?.latest = event
      return Array(run.watchers.values)
    }
    for watcher in watchers {
      watcher.yield(event)
      if event.isLast { watcher.finish() }
    }
  }

  /// Returns the events of a refresh from the latest one on, which end with it, and a function that
  /// ends them before; `nil` if no refresh was started.
  ///
  /// A slow watcher misses progress between two reads, but never the end.
  func events(named name: String) -> (stream: AsyncStream<Event>, end: @Sendable () -> Void)? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(1))
    let latest = state.withLock { state -> Event? in
      let name = state.name(for: name)
      guard let run = state.runs[name] else { return nil }
      if !run.latest.isLast {
        state.lastID += 1
        let id = state.lastID
        state.runs[name]?.watchers[id] = continuation
        continuation.onTermination = { [weak self] _ in
          self?.state.withLock { $0.runs[name]?.watchers[id] = nil }
        }
      }
      return run.latest
    }
    guard let latest else { return nil }
    continuation.yield(latest)
    if latest.isLast { continuation.finish() }
    return (stream, { continuation.finish() })
  }

  /// Those in progress go on.
  func drain() { state.withLock { $0.isDraining = true } }

  var wasCut: Bool { state.withLock { $0.wasCut } }

  func finish() async {
    for task in state.withLock({ $0.runs.values.compactMap(\.task) }) { await task.value }
  }

  /// Stops those in progress, and notifies the watchers; images that were fetched are kept. Returns
  /// how many there were.
  @discardableResult
  func cut() -> Int {
    let running = state.withLock { state in
      state.isDraining = true
      let running = state.runs.filter { !$0.value.latest.isLast }
      if !running.isEmpty { state.wasCut = true }
      return running
    }
    for (name, run) in running {
      let message = "The server is stopping; images already fetched are kept."
      send(.failed(code: "stopped", message: message), name)
      run.task?.cancel()
    }
    return running.count
  }
}
