/// What becomes of a frame's place on the canvas before the next one is drawn.
enum FrameDisposal: Sendable {
  /// It stays.
  case keep
  /// It becomes transparent.
  case clear
  /// What was there before comes back.
  case restore

  /// The values of a GIF; 4 is treated as 3, as browsers do, and the rest as 0.
  init(gif value: Int) {
    switch value {
    case 2: self = .clear
    case 3, 4: self = .restore
    default: self = .keep
    }
  }
}
