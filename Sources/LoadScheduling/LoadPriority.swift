import ImageModel

/// The urgency of a load. A shared load runs at the highest priority of its waiters.
public enum LoadPriority: Int, Sendable, Comparable, CaseIterable {
  /// Prefetching and warming: nothing waits for the image on screen.
  case prefetch
  /// Soon to be shown.
  case low
  /// The default.
  case normal
  /// On screen now.
  case high

  /// Orders by urgency: `prefetch` is the least.
  public static func < (one: LoadPriority, other: LoadPriority) -> Bool {
    one.rawValue < other.rawValue
  }
}

/// A priority that may change while the work it belongs to waits or runs.
///
/// The caller keeps it and changes it; queues and shared runs listen to it.
public final class LivePriority: Sendable {
  private struct State {
    var value: LoadPriority
    var nextToken = 0
    var listeners: [Int: @Sendable () -> Void] = [:]
  }
  private let state: Locked<State>
  /// The value that it had at first, and has still where it is constant.
  private let initial: LoadPriority

  package let isConstant: Bool

  private static let constants = LoadPriority.allCases.map { LivePriority($0, isConstant: true) }

  /// Returns a shared instance that never changes, so that nothing has to listen to it.
  package static func constant(_ value: LoadPriority) -> LivePriority { constants[value.rawValue] }

  private init(_ value: LoadPriority, isConstant: Bool) {
    state = Locked(State(value: value))
    initial = value
    self.isConstant = isConstant
  }

  /// Creates a priority that begins with a value.
  public convenience init(_ value: LoadPriority = .normal) {
    self.init(value, isConstant: false)
  }

  /// The priority now. Setting it notifies all listeners before it returns.
  public var value: LoadPriority {
    get { isConstant ? initial : state.withLock { $0.value } }
    set {
      let listeners = state.withLock { state in
        defer { state.value = newValue }
        return state.value == newValue ? [] : Array(state.listeners.values)
      }
      for listener in listeners { listener() }
    }
  }

  /// Calls `listener` after every change, on the thread that makes the change, until
  /// ``forget(_:)``. The listener reads ``value`` itself, so a late call does no harm.
  package func onChange(_ listener: @escaping @Sendable () -> Void) -> Int {
    if isConstant { return 0 }
    return state.withLock { state in
      state.nextToken += 1
      state.listeners[state.nextToken] = listener
      return state.nextToken
    }
  }

  package func forget(_ token: Int) {
    if !isConstant { state.withLock { $0.listeners[token] = nil } }
  }
}
