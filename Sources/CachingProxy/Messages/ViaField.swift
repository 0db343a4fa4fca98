import HTTPTypes
import TextEncodings

/// The `Via` of this proxy (RFC 9110 §7.6.3).
struct ViaField: Sendable {
  /// The maximum number of proxies of this kind in a chain, in case one does not recognize its
  /// name.
  static let maximumHopCount = 8

  /// The name of this proxy, different after every start: a request that carries it has passed
  /// through this proxy, not merely through another one of this kind.
  let pseudonym: String

  private static let kind = "imgcache"

  init() {
    pseudonym = "\(Self.kind)-" + Hex.encoded(UInt64.random(in: .min ... .max), digitCount: 16)
  }

  func add(to fields: inout HTTPFields) {
    let before = fields[values: .via].filter { !$0.isEmpty }
    fields[values: .via] = [(before + ["1.1 \(pseudonym)"]).joined(separator: ", ")]
  }

  /// Whether a request has passed through this proxy before, or through too many of its kind.
  func isCircular(_ fields: HTTPFields) -> Bool {
    let hops = Self.hops(of: fields)
    return hops.contains(pseudonym) || hops.count(where: Self.isOfKind) >= Self.maximumHopCount
  }

  static func hasPredecessor(_ fields: HTTPFields) -> Bool {
    hops(of: fields).contains(where: isOfKind)
  }

  /// The names in the field, in lower case. A member is a protocol, the name of the recipient, and
  /// optionally a comment.
  private static func hops(of fields: HTTPFields) -> [String] {
    fields[values: .via].flatMap { $0.split(separator: ",") }.compactMap { member in
      member.split { $0 == " " || $0 == "\t" }.dropFirst().first?.lowercased()
    }
  }

  private static func isOfKind(_ hop: String) -> Bool {
    hop == kind || hop.hasPrefix(kind + "-")
  }
}
