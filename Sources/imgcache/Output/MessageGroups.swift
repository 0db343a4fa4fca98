import ImagePipeline
import ImageFeeds
import ArgumentParser
import ImageModel
import Synchronization
import TextEncodings

/// Messages on stderr: the first few of each group are written, the others counted, since hundreds
/// of equal failures would hide a different one. `--verbose` writes all; data on stdout is never
/// grouped.
final class MessageGroups: Sendable {
  struct Group: Hashable, Sendable {
    enum Subject: String, Sendable {
      case image, day, story, thumbnail, warning
      case page = "story page"
      case storedImage = "image that could not be kept"

      /// For example `1 more day`, `2 more stories`.
      func counted(_ count: Int) -> String {
        let plurals: [Self: String] = [
          .story: "more stories", .storedImage: "more images that could not be kept",
        ]
        return count.counted("more \(rawValue)", plurals[self])
      }
    }

    /// What the messages are about; `nil` if `kind` includes it.
    private var subject: Subject?
    /// What happened: `HTTP 404`, `connection reset`.
    private var kind: String
    /// The host; `nil` if it is the same for all.
    private var host: String?
    private(set) var isError = true

    init(_ subject: Subject, _ error: ImageError, host: String? = nil) {
      self.subject = subject
      kind =
        switch error.code {
        case .cacheFull: "the cache is full"
        case .diskFull: "the disk is full"
        default:
          error.status.map { "HTTP \($0)" } ?? error.code.rawValue.replacing("_", with: " ")
        }
      self.host = host
    }

    init(_ subject: Subject, note kind: String) {
      self.subject = subject
      self.kind = kind
      isError = false
    }

    /// Errors whose messages differ only in numbers and in the name of what failed.
    init(like message: String, naming name: String? = nil) {
      let text = name.map { message.replacing($0, with: "…") } ?? message
      kind = text.replacing(/[0-9]+/, with: "N")
    }

    func text(of count: Int) -> String {
      guard let subject else { return "… and \(count) more of the same kind: \(kind)" }
      let place = host.map { " of \($0)" } ?? ""
      return "\(subject.counted(count))\(place): \(kind)"
    }
  }

  struct Tally {
    private var counts: [Group: Int] = [:]
    private var order: [Group] = []

    mutating func admits(_ group: Group) -> Bool {
      let count = counts[group, default: 0] + 1
      if count == 1 { order.append(group) }
      counts[group] = count
      return count <= MessageGroups.writtenCount
    }

    var remainders: [(group: Group, count: Int)] {
      order.compactMap { group in
        let rest = counts[group, default: 0] - MessageGroups.writtenCount
        return rest > 0 ? (group, rest) : nil
      }
    }
  }

  static let writtenCount = 3

  let report: Report
  private let tally = Mutex(Tally())
  private let status = Atomic<Int32>(0)

  init(_ report: Report) { self.report = report }

  /// Writes a message, or counts it if enough of its group are written.
  func write(_ text: @autoclosure () -> String, in group: Group) {
    if group.isError { status.max(ExitStatus.incomplete.rawValue, ordering: .relaxed) }
    if tally.withLock({ $0.admits(group) }) || report.verbose { say(text(), group) }
  }

  /// Writes an error about something that has a name, which precedes a message that does not
  /// contain it.
  func write(
    _ name: String, _ error: ImageError, as subject: String? = nil, in group: Group? = nil
  ) {
    if ExitStatus.forError(error) == ExitStatus.environment {
      status.max(ExitStatus.environment.rawValue, ordering: .relaxed)
    }
    write(
      error.message.contains(name) ? error.message : "\(subject ?? name): \(error.message)",
      in: group ?? Group(like: error.message, naming: name))
  }

  func fail(_ input: String, _ error: ImageError, member: String) {
    if report.json {
      report.object(.error, CommandFailure(error, subject: [(member, input)]).json)
    }
    write(input == "-" ? "stdin" : input, error)
  }

  func finish() {
    let remainders = tally.withLock { tally in
      defer { tally = Tally() }
      return tally.remainders
    }
    guard !report.verbose else { return }
    for (group, count) in remainders { say(group.text(of: count), group) }
  }

  /// Finishes; ends the command with status 1 if there was an error, 2 if the environment failed.
  func end() throws(ExitCode) {
    finish()
    let status = ExitCode(status.load(ordering: .relaxed))
    if !status.isSuccess { throw status }
  }

  private func say(_ text: String, _ group: Group) {
    if group.isError { report.error(text) } else { report.note(text) }
  }
}

extension MessageGroups {
  func write(failed element: DayListing.Element) {
    switch element {
    case .dayFailed(let query, let error, _):
      if report.json {
        report.object(
          .day,
          [
            "day": query.description, "stories": 0, "top_stories": 0, "images": 0,
            "status": "failed", "error": error.json,
          ])
      }
      write(query.description, error, as: "day \(query)", in: .init(.day, error))
    case .pageFailed(let story, let day, let error):
      if report.json {
        report.object(
          .story,
          [
            "day": day.description, "story_id": story.id, "status": "failed",
            "error": error.json,
          ])
      }
      write("the page of story \(story.id) (\(day)): \(error.message)", in: .init(.page, error))
    case .answer, .day, .image, .skipped, .page, .baseFailed: break
    }
  }
}
