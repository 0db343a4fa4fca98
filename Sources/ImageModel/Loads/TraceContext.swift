package import HTTPTypes

/// The place of a request in a distributed trace. Source: W3C Trace Context, 23 November 2021.
package struct TraceContext: Sendable, Hashable {
  /// The context of the request that this task works for.
  @TaskLocal package static var current: TraceContext?

  package let parent: String
  package let state: String?

  /// The identifier of the trace: 32 hexadecimal digits in lower case.
  package var traceID: String { String(parent.dropFirst(3).prefix(32)) }

  /// Reads the two fields; `nil` for a malformed `traceparent`. A malformed `tracestate` is left
  /// out.
  package init?(parent: String, state: String? = nil) {
    let parts = parent.utf8.split(
      separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
    // The version, the trace, the span, and flags.
    guard parts.count >= 4,
      zip(parts, [2, 32, 16, 2]).allSatisfy({ $0.count == $1 && $0.allSatisfy(Self.isDigit) }),
      !parts[0].elementsEqual("ff".utf8),
      parts[1...2].allSatisfy({ $0.contains { $0 != UInt8(ascii: "0") } }),
      // Later versions may have more behind another dash.
      parts.count == 4
        || !parts[0].elementsEqual("00".utf8) && parent.utf8.count <= 256
          && parent.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    self.parent = parent
    self.state = state.flatMap { Self.isState($0) ? $0 : nil }
  }

  package func add(to fields: inout HTTPFields) {
    guard let parentName = Self.parentName, let stateName = Self.stateName,
      fields[parentName] == nil
    else { return }
    fields[parentName] = parent
    fields[stateName] = state
  }

  private static let parentName = HTTPField.Name("traceparent")
  private static let stateName = HTTPField.Name("tracestate")

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  /// Whether a value is a list of at most 32 different members (§3.3.1); empty members are allowed.
  private static func isState(_ text: String) -> Bool {
    var keys: Set<String> = []
    for member in text.split(separator: ",") {
      let member = member.trimmingBlanks
      if member.isEmpty { continue }
      guard let equals = member.firstIndex(of: "="), isKey(member[..<equals]),
        isValue(member[equals...].dropFirst()),
        keys.insert(String(member[..<equals])).inserted, keys.count <= 32
      else { return false }
    }
    return !keys.isEmpty
  }

  private static func isKey(_ key: Substring) -> Bool {
    guard let first = key.utf8.first, (1...256).contains(key.utf8.count) else { return false }
    let isLetterOrDigit: (UInt8) -> Bool = {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
    }
    return isLetterOrDigit(first)
      && key.utf8.allSatisfy { isLetterOrDigit($0) || "_-*/@".utf8.contains($0) }
  }

  private static func isValue(_ value: Substring) -> Bool {
    (1...256).contains(value.utf8.count)
      && value.utf8.allSatisfy {
        (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=")
      }
  }
}
