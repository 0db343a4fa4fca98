/// The parts of a line that are drawn, by their lengths along it.
struct DashPattern: Hashable {
  /// The lengths drawn and skipped in turn, each above 0, in the units of a ``Drawing``; empty for
  /// a solid line.
  let lengths: [Double]

  /// A solid line.
  static let solid = DashPattern(lengths: [])
  /// Patterns that differ in print, too. Gaps are wide enough for the round ends of raster strokes.
  static let series = [
    solid, DashPattern(lengths: [9, 6]), DashPattern(lengths: [2, 5]),
    DashPattern(lengths: [9, 5, 2, 5]),
  ]

  /// Returns the parts of a line through some points to draw; the pattern continues around corners.
  func stretches(
    of points: [(x: Double, y: Double)]
  ) -> [(from: (x: Double, y: Double), to: (x: Double, y: Double))] {
    let sides = zip(points, points.dropFirst())
    if lengths.isEmpty { return sides.map { ($0, $1) } }
    var drawn: [(from: (x: Double, y: Double), to: (x: Double, y: Double))] = []
    var index = 0
    var left = lengths[0]
    for (from, to) in sides {
      let (dx, dy) = (to.x - from.x, to.y - from.y)
      let length = (dx * dx + dy * dy).squareRoot()
      var at = 0.0
      while at < length {
        let next = min(length, at + left)
        if index % 2 == 0 {
          drawn.append(
            (
              (from.x + dx * at / length, from.y + dy * at / length),
              (from.x + dx * next / length, from.y + dy * next / length)
            ))
        }
        left -= next - at
        at = next
        if left <= 0 {
          index = (index + 1) % lengths.count
          left = lengths[index]
        }
      }
    }
    return drawn
  }
}
