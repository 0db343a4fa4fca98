#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The reason why a command had no result.
public struct RedisError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The kind of failure.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The name, for logs and metrics.
    public let rawValue: String
    /// Creates a code by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// No node answered before the deadline; whether the command was executed is unknown.
    public static let timedOut = Code(rawValue: "timed-out")
    /// A connection could not be made, or ended before the reply; whether the command was executed
    /// is unknown.
    public static let connectionFailed = Code(rawValue: "connection-failed")
    /// Every node that could execute the command failed less than
    /// ``RedisConfiguration/downTime`` ago; it was not sent.
    public static let nodeDown = Code(rawValue: "node-down")
    /// The server refused the user or the password, or the user may not do this.
    public static let notPermitted = Code(rawValue: "not-permitted")
    /// The server answered with an error.
    public static let serverError = Code(rawValue: "server-error")
    /// The server's bytes are not RESP2, or a reply is longer than allowed.
    public static let protocolViolation = Code(rawValue: "protocol-violation")
    /// Commands that were to be sent together have keys of different slots.
    public static let crossSlot = Code(rawValue: "cross-slot")
    /// No node has the slot of the key.
    public static let slotNotCovered = Code(rawValue: "slot-not-covered")
    /// The nodes kept sending the command on to others.
    public static let tooManyRedirections = Code(rawValue: "too-many-redirections")
    /// Too many commands wait already.
    public static let saturated = Code(rawValue: "saturated")
    /// The client was shut down.
    public static let shutDown = Code(rawValue: "shut-down")
  }

  /// The kind of failure.
  public let code: Code
  /// A description for people; the whole line of a server's error.
  public let message: String
  /// The node that it is about; `nil` for none.
  public let node: RedisEndpoint?

  /// Creates an error.
  public init(_ code: Code, _ message: String, node: RedisEndpoint? = nil) {
    self.code = code
    self.message = message
    self.node = node
  }

  /// The node and the message.
  public var description: String { node.map { "\($0): \(message)" } ?? message }

  /// As ``description``.
  public var errorDescription: String? { description }

  /// The first word of a server's error, if it is in capitals: `WRONGTYPE`. Else empty.
  public var kind: String {
    let word = message.prefix { $0 != " " }
    return word.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) } ? String(word) : ""
  }

  /// Reads the line that a server sent in place of a result.
  init(line: String) {
    let isRefused = ["NOAUTH ", "WRONGPASS ", "NOPERM "].contains { "\(line) ".hasPrefix($0) }
    self.init(isRefused ? .notPermitted : .serverError, line)
  }

  func of(_ node: RedisEndpoint) -> RedisError { RedisError(code, message, node: node) }
}

/// The address of a server.
public struct RedisEndpoint: Sendable, Hashable, CustomStringConvertible {
  /// A name or an IP address; an IPv6 address is without brackets.
  public let host: String
  /// 1 through 65,535.
  public let port: Int

  /// Creates an address.
  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST`, `HOST:PORT` or `[IPv6]:PORT`; `nil` for anything else. The port is 6379 where none
  /// is named.
  public init?(_ text: some StringProtocol) {
    let host: String
    var rest: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = String(text[text.index(after: text.startIndex)..<end])
      rest = Substring(text[text.index(after: end)...])
      guard host.contains(":") else { return nil }
    } else {
      let end = text.firstIndex(of: ":") ?? text.endIndex
      host = String(text[..<end])
      rest = Substring(text[end...])
    }
    var port = 6379
    if !rest.isEmpty {
      guard rest.removeFirst() == ":", rest.allSatisfy({ $0.isASCII && $0.isNumber }),
        let number = Int(rest), (1...65_535).contains(number)
      else { return nil }
      port = number
    }
    guard !host.isEmpty, host.allSatisfy({ !$0.isWhitespace && $0 != "/" && $0 != "@" }) else {
      return nil
    }
    self.init(host: host, port: port)
  }

  /// `HOST:PORT`, with brackets around an IPv6 address.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
