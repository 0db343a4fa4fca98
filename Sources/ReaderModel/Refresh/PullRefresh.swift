/// Pulling a list down to load it anew, as EGOTableViewPullRefresh does it: the states, their thresholds and
/// what is seen in each.
///
/// Offsets are those of the list: negative while it is pulled below its beginning.
public struct PullRefresh: Sendable, Hashable {
  /// What the header shows.
  public enum State: Int, Sendable, Codable, CaseIterable {
    /// Far enough: letting go loads.
    case pulling = 0
    /// At rest, or not far enough.
    case normal = 1
    /// Loading.
    case loading = 2
  }

  /// How far to pull: 65.
  public static let threshold = 65.0
  /// The room that the header keeps while loading: 60.
  public static let loadingInset = 60.0
  /// How long the room takes to open: 0.2 s.
  public static let openingTime = Duration.milliseconds(200)
  /// How long it takes to close: 0.3 s.
  public static let closingTime = Duration.milliseconds(300)
  /// How long the arrow takes to turn: 0.18 s.
  public static let arrowTime = Duration.milliseconds(180)

  /// What the header shows.
  public private(set) var state: State
  /// The room above the list, 0 through ``loadingInset``.
  public private(set) var inset: Double

  /// Creates a header at rest.
  public init() { self.init(state: .normal, inset: 0) }

  init(state: State, inset: Double) {
    self.state = state
    self.inset = inset
  }

  /// The list moved.
  ///
  /// While loading, the room follows the offset up to its limit; while dragging, going beyond the threshold
  /// (`y < -65`) or coming back inside it (`-65 < y < 0`) changes the state. At exactly -65 nothing does.
  ///
  /// - Parameters:
  ///   - offset: Where the list is now.
  ///   - isDragging: Whether a finger holds it.
  ///   - sourceIsLoading: Whether the list is being loaded already, by anyone. Default: no.
  public mutating func scrolled(to offset: Double, isDragging: Bool, sourceIsLoading: Bool = false)
  {
    if state == .loading {
      inset = min(max(-offset, 0), Self.loadingInset)
    } else if isDragging {
      if state == .pulling, offset > -Self.threshold, offset < 0, !sourceIsLoading {
        state = .normal
      } else if state == .normal, offset < -Self.threshold, !sourceIsLoading {
        state = .pulling
      }
      inset = 0
    }
  }

  /// The finger let go.
  ///
  /// - Returns: Whether to load now: at -65 or beyond, unless loading already.
  public mutating func released(at offset: Double, sourceIsLoading: Bool = false) -> Bool {
    guard offset <= -Self.threshold, !sourceIsLoading, state != .loading else { return false }
    state = .loading
    inset = Self.loadingInset
    return true
  }

  /// Loading ended, whichever way.
  public mutating func finished() {
    state = .normal
    inset = 0
  }

  /// How far the arrow is turned, in degrees; it turns in ``arrowTime``.
  public var arrowAngle: Int { state == .pulling ? 180 : 0 }

  /// Whether the arrow is hidden, at once and without turning; the spinner shows instead.
  public var hidesArrow: Bool { state == .loading }

  /// What the header says.
  public var text: ReaderText {
    switch state {
    case .pulling: .releaseToRefresh
    case .normal: .pullToRefresh
    case .loading: .loading
    }
  }
}
