import ImageFeeds
import ImagePipeline

/// Messages on stderr, of which the first few of each group are written and the others counted: hundreds of equal
/// failures would hide what differs. `--verbose` writes all.
final class MessageGroups: Sendable {
  /// What messages have in common.
  struct Group: Hashable, Sendable {
    /// What messages are about.
    enum Subject: String, Sendable {
      case image, day, story, thumbnail, warning
      case page = "story page"
      case storedImage = "image that could not be kept"

      /// For example `1 day`, `2 stories`, with `more` before the noun.
      func counted(_ count: Int) -> String {
        guard count != 1 else { return "1 more \(rawValue)" }
        return switch self {
        case .story: "\(count) more stories"
        case .storedImage: "\(count) more images that could not be kept"
        default: "\(count) more \(rawValue)s"
        }
      }
    }

    /// What the messages are about.
    var subject: Subject
    /// What happened: `http_status 404`.
    var kind: String
    /// Where; `nil` where it is the same for all.
    var host: String?
    /// Whether they are errors, not notes.
    var isError = true

    /// A failure of something.
    init(_ subject: Subject, _ error: ImageError, host: String? = nil) {
      self.subject = subject
      kind = error.code.rawValue + (error.status.map { " \($0)" } ?? "")
      self.host = host
    }

    /// A remark.
    init(_ subject: Subject, note kind: String) {
      self.subject = subject
      self.kind = kind
      isError = false
    }

    /// The line for those that were not written.
    func text(of count: Int) -> String {
      let place = host.map { " of \($0)" } ?? ""
      return "\(subject.counted(count))\(place): \(kind)"
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
