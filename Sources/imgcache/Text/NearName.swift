enum NearName {
  /// Returns the nearest of some names within one edit for every three letters, and one more.
  static func of(_ word: String, among names: some Sequence<String>) -> String? {
    let most = 1 + word.count / 3
    var nearest: (name: String, distance: Int)?
    for name in names {
      let distance = distance(Array(word), Array(name))
      if distance <= most, distance < name.count, distance < nearest?.distance ?? .max {
        nearest = (name, distance)
      }
    }
    return nearest?.name
  }

  /// Returns the end of an error message: `; did you mean "rm"?`, or an empty text.
  static func hint(_ word: String, among names: some Sequence<String>) -> String {
    of(word, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
  }

  /// The number of edits between words: letters added, dropped, changed, or two neighbours swapped.
  ///
  /// Source: Damerau, "A technique for computer detection and correction of spelling errors", 1964.
  static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var before: [Int] = []
    var row = Array(0...other.count)
    for i in 0..<one.count {
      var next = [i + 1]
      for j in 0..<other.count {
        var best = min(row[j + 1] + 1, next[j] + 1, row[j] + (one[i] == other[j] ? 0 : 1))
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          best = min(best, before[j - 1] + 1)
        }
        next.append(best)
      }
      (before, row) = (row, next)
    }
    return row[other.count]
  }
}
