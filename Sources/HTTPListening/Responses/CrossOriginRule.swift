import HTTPTypes

/// Which pages of other origins may read responses to `GET` and `HEAD` (WHATWG Fetch, "CORS
/// protocol"). The lines of each origin are made once, for responses that are ready.
struct CrossOriginRule: Sendable {
  private struct Grant: Sendable {
    let fields: HTTPFields
    /// The same as lines of a head.
    let lines: String

    init(_ fields: HTTPFields) {
      self.fields = fields
      lines = fields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
    }
  }
  /// By origin, where they are listed.
  private let listed: [String: Grant]
  private let others: Grant

  /// Creates a rule for origins as browsers write them, `https://example.org`, or `*` for all;
  /// `nil` for none.
  init?(_ origins: [String]) {
    guard !origins.isEmpty else { return nil }
    func grant(_ origin: String, _ more: HTTPFields = [:]) -> Grant {
      Grant([.accessControlAllowOrigin: origin, .accessControlExposeHeaders: Self.exposed] + more)
    }
    if origins.contains("*") {
      (listed, others) = ([:], grant("*"))
    } else {
      listed = Dictionary(origins.map { ($0, grant($0, [.vary: "Origin"])) }) { $1 }
      others = Grant([.vary: "Origin"])
    }
  }

  private func grant(for origin: String?) -> Grant { origin.flatMap { listed[$0] } ?? others }

  /// The lines in the head of a response to a request with this `Origin`.
  func lines(for origin: String?) -> String { grant(for: origin).lines }

  /// Adds the fields of a response to a request with this `Origin`.
  func add(to fields: inout HTTPFields, for origin: String?) {
    for field in grant(for: origin).fields {
      if field.name == .vary, let own = fields[.vary] {
        fields[.vary] = "\(own), \(field.value)"
      } else {
        fields[field.name] = field.value
      }
    }
  }

  /// The fields of the response to a preflight request; `nil` for another request.
  func preflight(_ method: HTTPRequest.Method, _ asked: HTTPFields) -> HTTPFields? {
    guard method == .options, asked[.accessControlRequestMethod] != nil, let origin = asked[.origin]
    else {
      return nil
    }
    var fields: HTTPFields = [:]
    add(to: &fields, for: origin)
    fields[.accessControlExposeHeaders] = nil
    guard fields[.accessControlAllowOrigin] != nil else { return fields }
    fields[.accessControlAllowMethods] = "GET, HEAD"
    let names = (asked[.accessControlRequestHeaders] ?? "").lowercased()
      .split { $0 == "," || $0 == " " }.map(String.init).filter(Self.safe.contains)
    if !names.isEmpty {
      fields[.accessControlAllowHeaders] = Set(names).sorted().joined(separator: ", ")
    }
    // Chromium keeps it for no longer.
    fields[.accessControlMaxAge] = "7200"
    return fields
  }

  /// What scripts need besides the fields that they may always read.
  private static let exposed =
    "Accept-Ranges, Age, Cache-Status, Content-Length, Content-Range, Date, ETag, Retry-After, "
    + "Server-Timing"

  /// The fields that a script may add to a request.
  private static let safe: Set = [
    "accept", "accept-language", "cache-control", "if-match", "if-modified-since",
    "if-none-match", "if-range", "if-unmodified-since", "pragma", "range", "traceparent",
    "tracestate",
  ]
}
