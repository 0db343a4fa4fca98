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

  /// Whether it never changes.
  let isConstant: Bool

  private static let constants = LoadPriority.allCases.map { LivePriority($0, isConstant: true) }

  /// One that never changes, for those who hand nobody a way to change it: nothing is made for it, and nobody has
  /// to listen.
  static func constant(_ value: LoadPriority) -> LivePriority { constants[value.rawValue] }

  private init(_ value: LoadPriority, isConstant: Bool) {
    state = Locked(State(value: value))
    self.isConstant = isConstant
  }

  /// Starts at `value`.
  public init(_ value: LoadPriority = .normal) {
    state = Locked(State(value: value))
    isConstant = false
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
    if isConstant { return 0 }
    return state.withLock { state in
      state.nextToken += 1
      state.listeners[state.nextToken] = listener
      return state.nextToken
    }
  }

  /// Ends what ``onChange(_:)`` began under that token.
  func forget(_ token: Int) {
    if !isConstant { state.withLock { $0.listeners[token] = nil } }
  }
}
