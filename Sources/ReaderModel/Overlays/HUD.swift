/// A notice over everything while something runs, as SVProgressHUD shows it: how long, how, and
/// what lies under it.
public struct HUD: Sendable, Hashable {
  /// What is laid between the notice and the page. The numbers are those of SVProgressHUD.
  public enum MaskType: Int, Sendable, Codable, CaseIterable {
    /// Nothing: the page can be used, and a tap outside takes the notice away.
    case none = 1
    /// Something that is not seen.
    case clear = 2
    /// A dark pane.
    case black = 3
    /// A pane that darkens towards its edges.
    case gradient = 4
    /// A pane in a colour of one's own.
    case custom = 5

    /// Whether the page under it can be used.
    public var allowsInteraction: Bool { self == .none }
  }

  /// How high windows lie above each other; a notice lies above all windows up to its own level.
  public enum Level: Int, Sendable, Codable, CaseIterable, Comparable {
    /// The page.
    case normal = 0
    /// The bar at the top.
    case statusBar = 1000
    /// An alert.
    case alert = 2000

    /// Orders by height.
    public static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }
  }

  /// The width and height of the picture: 60.
  public static let pictureSide = 60.0
  /// How long it takes to come and to go: 0.15 s.
  public static let fadeTime = Duration.milliseconds(150)
  /// How dark its ground is: 0.30 of black.
  public static let backgroundAlpha = 0.30
  /// What is laid under it. Default: nothing.
  public var mask: MaskType
  /// The highest window that it covers. Default: the bar at the top.
  public var level: Level
  /// A text shows at least so long, in seconds. Default: 5.
  public var minimumSeconds: Double
  /// A text shows at most so long, in seconds. Default: no limit.
  public var maximumSeconds: Double

  /// Creates a notice with SVProgressHUD's own limits of time.
  public init(
    mask: MaskType = .none, level: Level = .statusBar, minimumSeconds: Double = 5,
    maximumSeconds: Double = .infinity
  ) {
    self.mask = mask
    self.level = level
    self.minimumSeconds = minimumSeconds
    self.maximumSeconds = maximumSeconds
  }

  /// A notice that shows any text for half a second.
  public static let brief = HUD(maximumSeconds: 0.5)

  /// How long a text shows, in seconds: 0.06 a character and 0.5, within the limits; the upper one
  /// wins.
  public func seconds(forTextOf length: Int) -> Double {
    min(max(0.06 * Double(length) + 0.5, minimumSeconds), maximumSeconds)
  }

  /// Whether it covers a window.
  public func covers(_ window: Level) -> Bool { window <= level }

  /// Whether a touch outside takes it away: as it begins, and where the page can be used.
  public func isDismissed(byTouchThatBegins: Bool) -> Bool {
    byTouchThatBegins && mask.allowsInteraction
  }
}
