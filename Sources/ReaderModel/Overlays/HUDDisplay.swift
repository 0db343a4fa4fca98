/// A ``HUD`` on its way: when it is seen and how strongly. Taking it away never ends what it stands for.
///
/// Moments are durations since any one beginning.
public struct HUDDisplay: Sendable, Hashable {
  /// When it began to show; `nil` while hidden.
  public private(set) var shownAt: Duration?
  /// When it begins to fade; `nil` while what it stands for runs.
  public private(set) var fadesAt: Duration?

  /// Creates a hidden notice.
  public init() {}

  /// Shows it until ``finish(at:)``.
  public mutating func show(at now: Duration) {
    if opacity(at: now) == 0 { shownAt = now }
    fadesAt = nil
  }

  /// Shows a text for its time.
  public mutating func show(textOf length: Int, as hud: HUD, at now: Duration) {
    show(at: now)
    let seconds = hud.seconds(forTextOf: length)
    fadesAt = seconds.isFinite ? now + .milliseconds(Int64((seconds * 1000).rounded())) : nil
  }

  /// What it stands for ended, or it was tapped away.
  public mutating func finish(at now: Duration) {
    guard shownAt != nil else { return }
    fadesAt = min(fadesAt ?? now, now)
  }

  /// How strongly it is seen, 0 through 1: it comes and goes in ``HUD/fadeTime``.
  public func opacity(at now: Duration) -> Double {
    guard let shownAt else { return 0 }
    let coming = (now - shownAt) / HUD.fadeTime
    let going = fadesAt.map { 1 - (now - $0) / HUD.fadeTime } ?? 1
    return min(max(min(coming, going), 0), 1)
  }
}
