public import HTTPTypes
import ImageModel

/// The keys that allow changes over HTTP: a request carries one as `Authorization: Bearer SECRET`
/// (RFC 6750 §2.1).
public struct AdminKeys: Sendable {
  /// The hash of each secret: hashes have one length, so that the comparison reveals nothing.
  private let hashes: [[UInt8]]

  /// Accepts any of some keys; their names do not count.
  public init(_ keys: [SigningKey]) { hashes = keys.map { Self.hash($0.secret) } }

  /// Whether a request carries a key.
  ///
  /// All keys are compared, each completely, so that the time reveals nothing about them.
  public func admit(_ fields: HTTPFields) -> Bool {
    let lines = fields[values: .authorization]
    guard lines.count == 1, let space = lines[0].firstIndex(of: " "),
      lines[0][..<space].lowercased() == "bearer"
    else { return false }
    let secret = lines[0][space...].drop { $0 == " " }
    let offered = Self.hash(Array(secret.utf8))
    return hashes.reduce(false) { isKnown, hash in
      zip(hash, offered).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0 || isKnown
    }
  }

  private static func hash(_ secret: [UInt8]) -> [UInt8] {
    secret.withUnsafeBytes { SHA256.hash(of: $0).bytes }
  }
}
