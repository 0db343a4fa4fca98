import Dispatch
import ImageModel

/// Notifies observers of purges in a directory: those of this instance at once, those of other
/// processes within half a second.
final class PurgeWatch: Sendable {
  typealias Observer = @Sendable (_ isPurged: (_ url: String) -> Bool) -> Void

  /// How often a word in the mapped table is compared.
  private static let interval = DispatchTimeInterval.milliseconds(250)

  private struct State {
    /// The number of purges when observers were last notified.
    var stamp: UInt64 = 0
    /// The number of the last purge of which they were notified.
    var last: UInt64 = 0
    var observers: [Int: Observer] = [:]
    var lastID = 0
    var timer: (any DispatchSourceTimer)?
  }
  /// Locked while observers are notified, so that a purge returns after all of them were.
  private let state = Locked(State())
  private let stamp: @Sendable () -> UInt64
  private let marks: @Sendable () -> PurgeMarks

  init(stamp: @escaping @Sendable () -> UInt64, marks: @escaping @Sendable () -> PurgeMarks) {
    self.stamp = stamp
    self.marks = marks
  }

  deinit { state.withLock { $0.timer?.cancel() } }

  func add(_ observer: @escaping Observer) -> Int {
    state.withLock { state in
      if state.timer == nil {
        state.stamp = stamp()
        state.last = marks().lastNumber
        let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        timer.schedule(
          deadline: .now() + Self.interval, repeating: Self.interval, leeway: .milliseconds(100))
        timer.setEventHandler { [weak self] in self?.check() }
        timer.activate()
        state.timer = timer
      }
      state.lastID += 1
      state.observers[state.lastID] = observer
      return state.lastID
    }
  }

  func remove(_ id: Int) {
    state.withLock { state in
      state.observers[id] = nil
      guard state.observers.isEmpty else { return }
      state.timer?.cancel()
      state.timer = nil
    }
  }

  func check() {
    state.withLock { state in
      let now = stamp()
      guard now != state.stamp, !state.observers.isEmpty else { return }
      state.stamp = now
      let marks = marks()
      let isPurged = marks.isPurged(after: state.last)
      state.last = marks.lastNumber
      for observer in state.observers.values { observer(isPurged) }
    }
  }
}

/// An observation of a directory's purges, which ends with its last reference.
final class PurgeObservation: Sendable {
  private let watch: PurgeWatch
  private let id: Int

  init(_ watch: PurgeWatch, _ observer: @escaping PurgeWatch.Observer) {
    self.watch = watch
    id = watch.add(observer)
  }

  deinit { watch.remove(id) }
}
