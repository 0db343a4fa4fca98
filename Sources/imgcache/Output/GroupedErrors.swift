import ImagePipeline

/// Errors on stderr of which there may be hundreds: the first of each kind as lines, the others as one count.
///
///     var errors = GroupedErrors(report)
///     for url in urls { errors.add("\(url): \(error.message)", kind: error.code.rawValue) }
///     errors.finish()
///
/// `--verbose` shows every line. What goes to stdout, JSON included, is never grouped.
struct GroupedErrors {
  private let report: Report
  private var tally = KindTally()

  init(_ report: Report) { self.report = report }

  /// Prints an error, or counts it where enough of its kind were printed.
  mutating func add(_ text: String, kind: String) {
    if tally.admits(kind) || report.verbose { report.error(text) }
  }

  /// Prints how many of each kind were not printed.
  mutating func finish() {
    if !report.verbose { tally.remainders.forEach { report.error($0) } }
    tally = KindTally()
  }
}

extension GroupedErrors {
  /// Prints an error about a thing that has a name; errors that differ in the name alone are of a kind.
  mutating func add(_ name: String, _ error: ImageError) {
    let isNamed = error.message.contains(name)
    add(
      isNamed ? error.message : "\(name): \(error.message)",
      kind: KindTally.kind(of: error.message.replacing(name, with: "…")))
  }
}

/// How many of each kind there were, and which of them are shown.
struct KindTally {
  /// So many of a kind are shown.
  static let shownOfEachKind = 3

  private var kinds: [String] = []
  private var counts: [String: Int] = [:]

  /// The kind of a message: the message without its numbers.
  static func kind(of message: String) -> String {
    message.replacing(/[0-9]+/, with: "N")
  }

  /// Counts one of a kind.
  ///
  /// - Returns: Whether it is to be shown.
  mutating func admits(_ kind: String) -> Bool {
    let count = counts[kind, default: 0] + 1
    if count == 1 { kinds.append(kind) }
    counts[kind] = count
    return count <= Self.shownOfEachKind
  }

  /// A line for each kind of which not all were shown, in the order of their first ones.
  var remainders: [String] {
    kinds.compactMap { kind in
      let rest = counts[kind, default: 0] - Self.shownOfEachKind
      return rest > 0 ? "… and \(rest) more of the same kind: \(kind)" : nil
    }
  }
}
