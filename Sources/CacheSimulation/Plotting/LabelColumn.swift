/// Labels one below the other, each as near as possible to what it names.
enum LabelColumn {
  /// A position for each label, as near as possible to that wanted by itself. If the range is too
  /// short for all, they exceed its lower bound.
  static func positions(
    of wanted: [Double], distance: Double, within range: ClosedRange<Double>
  ) -> [Double] {
    let order = wanted.indices.sorted { (wanted[$0], $0) < (wanted[$1], $1) }
    var positions = order.map { min(max(wanted[$0], range.lowerBound), range.upperBound) }
    for index in positions.indices.dropFirst() {
      positions[index] = max(positions[index], positions[index - 1] + distance)
    }
    var limit = range.upperBound
    for index in positions.indices.reversed() {
      positions[index] = min(positions[index], limit)
      limit = positions[index] - distance
    }
    var result = wanted
    for (index, position) in zip(order, positions) { result[index] = position }
    return result
  }
}
