/// A priority that may change while the work it belongs to waits or runs.
///
/// One who waits holds one and turns it; queues and shared runs listen to it.
public final class LivePriority: Sendable {
  private struct State {
    var value: LoadPriority
    var nextToken = 0
    var listeners: [Int: @Sendable () -> Void] = [:]
  }
  private let state: Locked<State>

  /// Starts at `value`.
  public init(_ value: LoadPriority = .normal) {
    state = Locked(State(value: value))
  }

  /// The priority now. Setting it tells all listeners before it returns.
  public var value: LoadPriority {
    get { state.withLock { $0.value } }
    set {
      let listeners = state.withLock { state in
        defer { state.value = newValue }
        return state.value == newValue ? [] : Array(state.listeners.values)
      }
      for listener in listeners { listener() }
    }
  }

  /// Calls `listener` after every change, on the thread that makes the change; it reads ``value``
  /// itself, so that late calls do no harm. Ends with ``forget(_:)``.
  func onChange(_ listener: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.nextToken += 1
      state.listeners[state.nextToken] = listener
      return state.nextToken
    }
  }

  /// Ends what ``onChange(_:)`` began under that token.
  func forget(_ token: Int) {
    state.withLock { $0.listeners[token] = nil }
  }
}
