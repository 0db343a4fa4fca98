import HTTPListening
import ImageFeeds
import ImagePipeline

/// The refreshes under way, one a day, and those who watch them.
final class DayRefreshes: Sendable {
  /// What those who watch are told.
  enum Event: Sendable, Hashable {
    case progress(RefreshProgress)
    case done(RefreshProgress)
    case failed(code: String, message: String)

    var isLast: Bool {
      if case .progress = self { false } else { true }
    }

    /// The day that is refreshed, where it is known yet.
    var day: String? {
      switch self {
      case .progress(let progress), .done(let progress): progress.day?.description
      case .failed: nil
      }
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

    /// The run that a word stands for: one that runs under another word for the same day goes before one of that word
    /// that has ended.
    func name(for word: String) -> String {
      if let run = runs[word], !run.latest.isLast { return word }
      return runs.first { !$0.value.latest.isLast && $0.value.latest.day == word }?.key ?? word
    }
  }
  /// Days that are refreshed at once; each is a feed to ask for and pictures to go through.
  private static let maximumRunning = 16
  /// Ends that are remembered for those who ask late.
  private static let maximumKnown = 256

  private let state = Locked(State())
  private let days: any DayProviding
  private let finished: @Sendable () -> Void

  /// - Parameter finished: Called after each refresh that changed something.
  init(days: any DayProviding, finished: @escaping @Sendable () -> Void) {
    self.days = days
    self.finished = finished
  }

  /// Begins a refresh.
  ///
  /// - Throws: ``Problem`` 409 while one of that day runs, 503 when many others do or the server stops.
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
      // Who watches learns of the new run by its end only; a run that ended has no watchers left.
      state.runs[name] = Run(latest: .progress(RefreshProgress()))
      state.runs[name]?.task = Task { [self] in await refresh(query, name) }
      return nil
    }
    if let refusal { throw refusal }
  }

  private func refresh(_ query: DayQuery, _ name: String) async {
    do {
      let result = try await days.refresh(query) { [self] in tell(.progress($0), name) }
      finished()
      tell(.done(result), name)
    } catch {
      let problem = (error as? ImageError).map(Problem.init) ?? .busy
      tell(.failed(code: problem.code, message: problem.detail), name)
    }
  }

  /// Tells those who watch; what comes after the last event of a run is not said.
  private func tell(_ event: Event, _ name: String) {
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

  /// What happens to a refresh, from its latest event on; ends with it. `nil` where none was begun.
  ///
  /// A slow watcher misses progress between two reads, and never the end.
  func events(named name: String) -> AsyncStream<Event>? {
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
    return stream
  }

  /// Begins no more; those under way go on.
  func drain() { state.withLock { $0.isDraining = true } }

  /// Whether any was ended before its time.
  var wasCut: Bool { state.withLock { $0.wasCut } }

  /// Waits until none is under way.
  func finish() async {
    for task in state.withLock({ $0.runs.values.compactMap(\.task) }) { await task.value }
  }

  /// Ends those under way, and says so to those who watch; pictures that have come are kept.
  ///
  /// - Returns: How many there were.
  @discardableResult
  func cut() -> Int {
    let running = state.withLock { state in
      state.isDraining = true
      let running = state.runs.filter { !$0.value.latest.isLast }
      if !running.isEmpty { state.wasCut = true }
      return running
    }
    for (name, run) in running {
      tell(.failed(code: "stopped", message: "The server stops; what has come is kept."), name)
      run.task?.cancel()
    }
    return running.count
  }
}
