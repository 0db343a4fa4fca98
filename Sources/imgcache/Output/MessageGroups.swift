import ImageFeeds
import ImagePipeline

/// Messages on stderr, of which the first few of each group are written and the others counted:
/// hundreds of equal failures would hide what differs.
///
///     let messages = MessageGroups(report)
///     for url in urls { messages.write(url, error) }
///     messages.finish()
///
/// `--verbose` writes all. What goes to stdout, JSON included, is never grouped.
final class MessageGroups: Sendable {
  /// What messages have in common.
  struct Group: Hashable, Sendable {
    /// What messages are about.
    enum Subject: String, Sendable {
      case image, day, story, thumbnail, warning
      case page = "story page"
      case storedImage = "image that could not be kept"

      /// For example `1 more day`, `2 more stories`.
      func counted(_ count: Int) -> String {
        guard count != 1 else { return "1 more \(rawValue)" }
        return switch self {
        case .story: "\(count) more stories"
        case .storedImage: "\(count) more images that could not be kept"
        default: "\(count) more \(rawValue)s"
        }
      }
    }

    /// What the messages are about; `nil` where `kind` says it.
    private var subject: Subject?
    /// What happened: `http_status 404`.
    private var kind: String
    /// Where; `nil` where it is the same for all.
    private var host: String?
    /// Whether they are errors, not notes.
    private(set) var isError = true

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

    /// Errors whose messages differ in numbers and in the name of what failed alone.
    init(like message: String, naming name: String? = nil) {
      let text = name.map { message.replacing($0, with: "…") } ?? message
      kind = text.replacing(/[0-9]+/, with: "N")
    }

    /// The line for those that were not written.
    func text(of count: Int) -> String {
      guard let subject else { return "… and \(count) more of the same kind: \(kind)" }
      let place = host.map { " of \($0)" } ?? ""
      return "\(subject.counted(count))\(place): \(kind)"
    }
  }

  /// How many messages each group has.
  struct Tally {
    private var counts: [Group: Int] = [:]
    /// In the order of their first messages.
    private var order: [Group] = []

    /// Counts a message.
    ///
    /// - Returns: Whether it is to be written.
    mutating func admits(_ group: Group) -> Bool {
      let count = counts[group, default: 0] + 1
      if count == 1 { order.append(group) }
      counts[group] = count
      return count <= MessageGroups.writtenCount
    }

    /// The groups of which not all messages were to be written, and of how many.
    var remainders: [(group: Group, count: Int)] {
      order.compactMap { group in
        let rest = counts[group, default: 0] - MessageGroups.writtenCount
        return rest > 0 ? (group, rest) : nil
      }
    }
  }

  /// Messages of a group that are written.
  static let writtenCount = 3

  private let report: Report
  private let tally = Locked(Tally())

  init(_ report: Report) { self.report = report }

  /// Writes a message, or counts it where its group had enough.
  func write(_ text: @autoclosure () -> String, in group: Group) {
    if tally.withLock({ $0.admits(group) }) || report.verbose { say(text(), group) }
  }

  /// Writes an error about a thing that has a name; errors that differ in the name alone are a
  /// group.
  func write(_ name: String, _ error: ImageError) {
    write(
      error.message.contains(name) ? error.message : "\(name): \(error.message)",
      in: Group(like: error.message, naming: name))
  }

  /// Writes a line for each group that had more messages than were written.
  func finish() {
    let remainders = tally.withLock { tally in
      defer { tally = Tally() }
      return tally.remainders
    }
    guard !report.verbose else { return }
    for (group, count) in remainders { say(group.text(of: count), group) }
  }

  private func say(_ text: String, _ group: Group) {
    if group.isError { report.error(text) } else { report.note(text) }
  }
}
