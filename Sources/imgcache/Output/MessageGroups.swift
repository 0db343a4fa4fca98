import ImageFeeds
import ImagePipeline

/// Messages on stderr, of which the first few of each group are written and the others counted: hundreds of equal
/// failures would hide what differs. `--verbose` writes all.
final class MessageGroups: Sendable {
  /// What messages have in common.
  struct Group: Hashable, Sendable {
    /// What the messages are about: `image`, `day`.
    var noun: String
    /// What happened: `http_status 404`.
    var kind: String
    /// Where; `nil` where it is the same for all.
    var host: String?
    /// Whether they are errors, not notes.
    var isError = true

    /// A failure of something.
    init(_ noun: String, _ error: ImageError, host: String? = nil) {
      self.noun = noun
      kind = error.code.rawValue + (error.status.map { " \($0)" } ?? "")
      self.host = host
    }

    /// A remark.
    init(_ noun: String, note kind: String) {
      self.noun = noun
      self.kind = kind
      isError = false
    }

    /// The line for those that were not written.
    func text(of count: Int) -> String {
      let place = host.map { " of \($0)" } ?? ""
      return "\(count) more \(noun)\(count == 1 ? "" : "s")\(place): \(kind)"
    }
  }

  /// Messages of a group that are written.
  static let writtenCount = 5

  private struct State {
    var counts: [Group: Int] = [:]
    /// In the order of their first messages.
    var order: [Group] = []
  }

  private let report: Report
  private let state = Locked(State())

  init(_ report: Report) { self.report = report }

  /// Writes a message, or counts it where its group had enough.
  func write(_ text: @autoclosure () -> String, in group: Group) {
    let count = state.withLock { state in
      if state.counts[group] == nil { state.order.append(group) }
      state.counts[group, default: 0] += 1
      return state.counts[group] ?? 0
    }
    if count <= Self.writtenCount || report.verbose { say(text(), group) }
  }

  /// Writes a line for each group that had more messages than were written.
  func finish() {
    let rest = state.withLock { state in
      defer { state = State() }
      return state.order.map { ($0, (state.counts[$0] ?? 0) - Self.writtenCount) }
    }
    guard !report.verbose else { return }
    for (group, count) in rest where count > 0 { say(group.text(of: count), group) }
  }

  private func say(_ text: String, _ group: Group) {
    if group.isError { report.error(text) } else { report.note(text) }
  }
}
