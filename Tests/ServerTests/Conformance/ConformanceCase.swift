/// One behavior that a general suite for HTTP caches checks, as a script for client and origin.
///
/// The numbering follows http-tests/cache-tests, so that results can be compared; scripts
/// and driver are our own.
struct ConformanceCase: Sendable, CustomStringConvertible {
  /// The meaning of a failure.
  enum Kind: Sendable, Equatable {
    /// A violation of HTTP.
    case required
    /// A missed optimization.
    case optimal
    /// A choice; ours is reported.
    case choice(Bool)
  }

  /// The suite's name for it.
  let id: String
  let kind: Kind
  /// The section it tests, of RFC 9111 where no other is named.
  let section: String
  let steps: [ConformanceStep]

  init(_ id: String, _ kind: Kind, _ section: String, _ steps: [ConformanceStep]) {
    self.id = id
    self.kind = kind
    self.section = section
    self.steps = steps
  }

  var description: String { "\(id) (\(section))" }

  private static let kinds: [Substring: Kind] = [
    "must": .required, "should": .optimal, "does": .choice(true), "differs": .choice(false),
  ]
  private static let arrivals: [Substring: ConformanceStep.Arrival] = [
    "cached": .cached, "passed": .passed, "tagConfirmed": .tagConfirmed,
    "dateConfirmed": .dateConfirmed,
  ]

  /// Cases of a fill and a check, one a line: a kind, the source of the second response, `now` if
  /// no time passes before it, a section if it is another than that of the table, and a name; then
  /// lines of the origin's first response after `|`, of the first request after `<`, of the second
  /// request after `>`, and the status of the second response after `=`.
  static func table(
    _ section: String, before: [String] = [], after: [String] = [], pauses: Bool = true,
    _ text: String
  ) -> [ConformanceCase] {
    text.split(separator: "\n").map { line in
      var marked = String(line)
      for mark in "|<>=" { marked = marked.replacing(" \(mark) ", with: "\n\(mark)") }
      let parts = marked.split(separator: "\n")
      func values(_ mark: Character) -> [String] {
        parts.dropFirst().filter { $0.first == mark }.map { String($0.dropFirst()) }
      }
      let words = parts[0].split(separator: " ")
      guard let kind = kinds[words[0]], let arrival = arrivals[words[1]], let id = words.last else {
        preconditionFailure("malformed case: \(line)")
      }
      let fill = ConformanceStep.fill(
        before + values("|") + after, send: values("<"), pauses: pauses && !words.contains("now"))
      let look = ConformanceStep.look(
        arrival, send: values(">"), gives: values("=").first.flatMap { Int($0) })
      let own = words.first { $0.hasPrefix("§") }
      return ConformanceCase(String(id), kind, own.map(String.init) ?? section, [fill, look])
    }
  }

  static let all: [ConformanceCase] =
    freshness + expires + parsing + directives + stale + conditions + updates + vary + storing
    + statuses + invalidation + parts + targeted + others
}

/// One request of a case: what is sent, the origin's response, and what is expected.
///
/// Fields are lines `Name: value`. A value `@n` is the date `n` seconds from the origin's now;
/// `^name` is a path below the case's own. A response line that begins with `~` is not
/// expected to arrive as it was sent.
struct ConformanceStep: Sendable {
  /// The source of the response.
  enum Arrival: Sendable {
    /// From the store.
    case cached
    /// From the origin.
    case passed
    /// The origin confirmed a condition by `ETag`, or by `Last-Modified`.
    case tagConfirmed, dateConfirmed
  }

  /// What is checked; a failure of a setup request is not a failure of the cache.
  enum Look: Sendable { case arrival, status, fields, text, all }

  var send: [String] = []
  var method = "GET"
  var body: String?
  /// The suffix of the case's path: `/name` or `?query`.
  var place = ""

  var status = 200
  var answer: [String] = []
  var text: String?
  var interim: [(status: Int, fields: [String])] = []
  var hangsUp = false

  var arrival: Arrival?
  /// `nil`: as the origin sent; 0: any.
  var gives: Int?
  /// `nil`: as the origin sent; empty: any.
  var givesText: String?
  /// `Name`, `Name: value` or `Name > number`.
  var has: [String] = []
  var lacks: [String] = []
  var hasInterim: [(status: Int, fields: [String])]?
  /// What the origin must receive: `Name` or `Name: value`.
  var asks: [String] = []
  var asksBy: String?

  var prepares: Set<Look> = []
  /// Whether three seconds pass afterwards.
  var pauses = false

  func isPreparation(_ look: Look) -> Bool { prepares.contains(.all) || prepares.contains(look) }
}

extension ConformanceStep {
  /// A request that only fills the cache; three seconds pass.
  static func fill(
    _ answer: [String] = [], status: Int = 200, send: [String] = [], text: String? = nil,
    place: String = "", pauses: Bool = true
  ) -> ConformanceStep {
    var step = ConformanceStep()
    (step.answer, step.status, step.send, step.text) = (answer, status, send, text)
    (step.place, step.pauses, step.prepares) = (place, pauses, [.all])
    return step
  }

  /// Fills the cache with a long-lived response.
  static func fresh(
    _ answer: [String] = [], status: Int = 200, send: [String] = [], text: String? = nil,
    place: String = ""
  ) -> ConformanceStep {
    fill(
      ["Cache-Control: max-age=100000", "Date: @0"] + answer, status: status, send: send,
      text: text, place: place)
  }

  /// Fills the cache with a response that is stale three seconds later.
  static func shortlived(_ answer: [String] = []) -> ConformanceStep {
    fill(["Cache-Control: max-age=2", "Template-A: 1"] + answer)
  }

  /// A request that is checked.
  static func look(
    _ arrival: Arrival? = nil, send: [String] = [], answer: [String] = [], status: Int = 200,
    gives: Int? = nil, has: [String] = [], lacks: [String] = [], asks: [String] = [],
    prepares: Set<Look> = [], text: String? = nil, givesText: String? = nil, place: String = ""
  ) -> ConformanceStep {
    var step = ConformanceStep()
    (step.arrival, step.send, step.answer, step.status) = (arrival, send, answer, status)
    (step.gives, step.has, step.lacks, step.asks) = (gives, has, lacks, asks)
    (step.prepares, step.text, step.givesText, step.place) = (prepares, text, givesText, place)
    return step
  }

  /// A copy with changes.
  func with(_ change: (inout ConformanceStep) -> Void) -> ConformanceStep {
    var step = self
    change(&step)
    return step
  }
}
