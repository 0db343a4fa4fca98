/// The parts of a line that are drawn, by their lengths along it.
struct DashPattern: Hashable {
  /// The lengths drawn and skipped in turn, each above 0, in the units of a ``Drawing``; empty for
  /// a solid line.
  let lengths: [Double]

  /// A solid line.
  static let solid = DashPattern(lengths: [])
  /// Patterns that differ in print, too.
  static let series = [
    solid, DashPattern(lengths: [9, 4]), DashPattern(lengths: [2, 3]),
    DashPattern(lengths: [9, 3, 2, 3]),
  ]
}
