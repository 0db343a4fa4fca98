/// The share of a cache that its window gets: a hill climber on the hit ratio.
///
/// After each sample it continues in the direction that helped and turns back where it hurt, with
/// shorter and shorter steps; a jump of the hit ratio makes it take long strides again. Strides are
/// longer than the paper's (0.2 instead of 0.0625 of the capacity): a reader's year of images is
/// forty samples, and a window that is too small costs half the hits meanwhile.
///
/// Source: Einziger, Eytan, Friedman, Manes, "Adaptive Software Cache Management", Middleware 2018.
struct WindowClimber: Sendable {
  private(set) var share: Double
  private let isAdaptive: Bool
  private var step: Double
  private var lastRatio = -1.0
  private var hits = 0
  private var requests = 0

  private static let stride = 0.2

  init(share: Double, isAdaptive: Bool) {
    self.share = share
    self.isAdaptive = isAdaptive
    step = Self.stride
  }

  /// Counts a request, and returns whether the share has changed.
  @inline(__always)
  mutating func learn(isHit: Bool, period: Int) -> Bool {
    requests += 1
    if isHit { hits += 1 }
    return isAdaptive && requests >= period && climb()
  }

  private mutating func climb() -> Bool {
    let ratio = Double(hits) / Double(requests)
    (hits, requests) = (0, 0)
    defer { lastRatio = ratio }
    guard lastRatio >= 0 else { return false }
    let change = ratio - lastRatio
    let direction = (change >= 0) == (step >= 0) ? 1.0 : -1.0
    step = abs(change) >= 0.05 ? direction * Self.stride : direction * abs(step) * 0.95
    let wanted = min(0.99, max(0.002, share + step))
    defer { share = wanted }
    return wanted != share
  }
}
