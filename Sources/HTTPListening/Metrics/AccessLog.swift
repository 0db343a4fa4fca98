import HTTPTypes
import ImageModel
import NIOHTTP1
import TextEncodings

/// The access log: one line a response.
public final class AccessLog: Sendable {
  /// The form of a line.
  public enum Format: String, Sendable, CaseIterable {
    /// `[date] "GET /thumb?…" 200 7421 0.000021 memory 4bf9… 192.0.2.1 -`: status, bytes of the body,
    /// seconds, source, trace, client and problem; `-` for what there is not.
    case text
    /// The combined format of Apache and nginx, with the problem's code or `-` in quotes at its end,
    /// which their parsers pass over.
    case combined
    /// A JSON object.
    case json
  }

  /// What is logged, and how.
  public struct Configuration: Sendable {
    /// The form of a line. Default: text.
    public var format = Format.text
    /// Called with a line without its end, on the threads of connections, so it must not block.
    public var write: @Sendable (String) -> Void

    /// The defaults.
    public init(write: @escaping @Sendable (String) -> Void) { self.write = write }
  }

  struct Entry: Sendable {
    /// The status of a client that closed the connection before its response began, as in nginx.
    static let clientLeft = 499

    var head: HTTPRequestHead
    var status = 0
    var byteCount = 0
    var source = ServerMetrics.Source.none
    var traceID: String?
    /// The address of the connection's other end; `nil` for a Unix socket.
    var address: String?
    var problem: String?

    init(_ head: HTTPRequestHead) { self.head = head }
  }

  private let configuration: Configuration
  private let clock: DateField
  private let proxies: TrustedProxies
  private let shown: @Sendable (String) -> String

  init(
    _ configuration: Configuration, trusting proxies: TrustedProxies, clock: DateField,
    shown: @escaping @Sendable (String) -> String
  ) {
    self.configuration = configuration
    self.proxies = proxies
    self.clock = clock
    self.shown = shown
  }

  func record(_ entry: Entry, seconds: Double) {
    var entry = entry
    entry.head.uri = shown(entry.head.uri)
    entry.address = proxies.client(
      behind: entry.address, entry.head.headers["X-Forwarded-For"],
      entry.head.headers["Forwarded"])
    configuration.write(
      Self.line(entry, configuration.format, seconds: seconds, date: clock.text))
  }

  /// The line of a response; `date` is as in `Date`. Characters that could end it or forge another
  /// are escaped.
  static func line(_ entry: Entry, _ format: Format, seconds: Double, date: String) -> String {
    switch format {
    case .text: text(entry, seconds: seconds, date: date)
    case .combined: combined(entry, LogTime(date).common)
    case .json: json(entry, seconds: seconds, LogTime(date).iso).description
    }
  }

  /// Method and target; `-` for a head that is not one, which has no target here.
  private static func requestLine(of head: HTTPRequestHead) -> String {
    head.uri.isEmpty ? "-" : "\(head.method.rawValue) \(head.uri)"
  }

  private static func text(_ entry: Entry, seconds: Double, date: String) -> String {
    let request = escaped(requestLine(of: entry.head)) {
      "\\u{\(String($0.value, radix: 16))}"
    }
    return "[\(date)] \"\(request)\" \(entry.status) \(entry.byteCount) \(micro(seconds)) "
      + "\(entry.source) \(entry.traceID ?? "-") \(entry.address ?? "-") \(entry.problem ?? "-")"
  }

  private static func combined(_ entry: Entry, _ time: String) -> String {
    func quoted(_ text: String) -> String {
      let safe = escaped(text) { scalar in
        String(scalar).utf8.map { "\\x" + Hex.encoded($0, digitCount: 2) }.joined()
      }
      return "\"\(safe)\""
    }
    let head = entry.head
    let version = "HTTP/\(head.version.major).\(head.version.minor)"
    let request = head.uri.isEmpty ? "-" : "\(requestLine(of: head)) \(version)"
    return "\(entry.address ?? "-") - - [\(time)] \(quoted(request)) \(entry.status) "
      + "\(entry.byteCount) \(quoted(head.headers.first(name: "Referer") ?? "-")) "
      + "\(quoted(head.headers.first(name: "User-Agent") ?? "-")) \(quoted(entry.problem ?? "-"))"
  }

  private static func json(_ entry: Entry, seconds: Double, _ time: String) -> JSONLine {
    [
      "time": time, "address": entry.address,
      "method": entry.head.uri.isEmpty ? "-" : entry.head.method.rawValue,
      "target": entry.head.uri, "status": entry.status, "bytes": entry.byteCount,
      "seconds": micro(seconds), "source": entry.source == .none ? nil : "\(entry.source)",
      "trace": entry.traceID, "code": entry.problem,
      "referer": entry.head.headers.first(name: "Referer"),
      "user_agent": entry.head.headers.first(name: "User-Agent"),
    ]
  }

  private static func micro(_ seconds: Double) -> Double { (seconds * 1e6).rounded() / 1e6 }

  private static func escaped(_ text: String, _ escape: (Unicode.Scalar) -> String) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": safe += "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value > 0x7E: safe += escape(scalar)
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}

/// The time of a log line, from the value of `Date`: `Fri, 27 Nov 2026 08:46:50 GMT`.
private struct LogTime {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private let words: [Substring]

  init(_ date: String) { words = date.split(separator: " ") }

  private var isDate: Bool { words.count == 6 }

  var common: String {
    isDate ? "\(words[1])/\(words[2])/\(words[3]):\(words[4]) +0000" : "-"
  }

  var iso: String {
    guard isDate, let month = Self.months.firstIndex(of: String(words[2])) else { return "-" }
    return "\(words[3])-\(month < 9 ? "0" : "")\(month + 1)-\(words[1])T\(words[4])Z"
  }
}
