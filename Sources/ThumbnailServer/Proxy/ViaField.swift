import HTTPTypes

/// The `Via` of this proxy (RFC 9110 §7.6.3).
struct ViaField: Sendable {
  /// Hops of this kind that a request may have behind it before it is taken for one that goes in a circle.
  static let maximumHopCount = 8

  private static let name = HTTPField.Name("Via")
  private static let member = "1.1 imgcache"

  /// Adds this hop behind the others.
  func add(to fields: inout HTTPFields) {
    guard let name = Self.name else { return }
    let before = fields[values: name].filter { !$0.isEmpty }
    fields[values: name] = [(before + [Self.member]).joined(separator: ", ")]
  }

  /// Whether a request has come through such proxies too often.
  func isCircular(_ fields: HTTPFields) -> Bool {
    guard let name = Self.name else { return false }
    let hops = fields[values: name].flatMap { $0.split(separator: ",") }
    return hops.count { $0.hasSuffix(Self.member) } >= Self.maximumHopCount
  }
}
