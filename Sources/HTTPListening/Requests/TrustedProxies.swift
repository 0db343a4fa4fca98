public import ImageModel
import NIOCore

/// The proxies in front of a server whose `X-Forwarded-For` and `Forwarded` are believed.
public struct TrustedProxies: Sendable, Hashable {
  /// An address, or all that begin with its first bits.
  private struct Network: Sendable, Hashable {
    let bytes: [UInt8]
    let bitCount: Int

    func contains(_ address: [UInt8]) -> Bool {
      guard address.count == bytes.count else { return false }
      return zip(bytes, address).enumerated().allSatisfy { index, pair in
        let bits = min(8, max(0, bitCount - 8 * index))
        return (pair.0 ^ pair.1) & ~UInt8(truncatingIfNeeded: 0xFF >> bits) == 0
      }
    }
  }
  private var networks: [Network] = []
  private var hasUnixSockets = false

  /// Believes none.
  public init() {}

  /// Reads entries: an address, a network such as `10.0.0.0/8`, or `unix` for the clients of Unix
  /// sockets.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for anything else.
  public init(_ entries: [String]) throws(ImageError) {
    for entry in entries {
      if entry == "unix" {
        hasUnixSockets = true
        continue
      }
      let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let bytes = Self.bytes(parts[0]),
        let bitCount = parts.count == 1 ? 8 * bytes.count : Int(parts[1]),
        (0...8 * bytes.count).contains(bitCount)
      else {
        throw ImageError(
          .invalidArgument,
          "'\(entry)' is not a proxy; allowed are 192.0.2.1, 192.0.2.0/24, 2001:db8::/32 and unix")
      }
      networks.append(Network(bytes: bytes, bitCount: bitCount))
    }
  }

  /// The address of the client: the last one in `X-Forwarded-For`, or without it in `Forwarded` (RFC
  /// 7239), that is not a trusted proxy's, if the connection is a trusted proxy's. `peer` is `nil` for
  /// a Unix socket.
  func client(
    behind peer: String?, _ lines: [String], _ forwarded: [String] = []
  ) -> String? {
    var client = peer
    var isTrusted = trust(peer)
    let hops = lines.joined(separator: ",").split(separator: ",")
    let elements = forwarded.joined(separator: ",").split(separator: ",")
    for hop in (lines.isEmpty ? elements.map(Self.forwarder) : hops).reversed() where isTrusted {
      guard let address = Self.address(hop) else { break }
      client = address
      isTrusted = contains(address)
    }
    return client
  }

  /// Whether the other end of a connection is one; `nil` is that of a Unix socket.
  func trust(_ peer: String?) -> Bool { peer.map(contains) ?? hasUnixSockets }

  private func contains(_ address: String) -> Bool {
    guard !networks.isEmpty, let bytes = Self.bytes(address) else { return false }
    return networks.contains { $0.contains(bytes) }
  }

  /// The value of `for` in an element of `Forwarded`; empty for none.
  private static func forwarder(_ element: Substring) -> Substring {
    for pair in element.split(separator: ";") {
      let pair = pair.trimmingBlanks
      guard pair.prefix(4).lowercased() == "for=" else { continue }
      let value = pair.dropFirst(4)
      return value.hasPrefix("\"") ? value.dropFirst().prefix { $0 != "\"" } : value
    }
    return ""
  }

  private static func address(_ hop: Substring) -> String? {
    var text = hop.trimmingBlanks[...]
    if text.hasPrefix("[") {
      text = text.dropFirst().prefix { $0 != "]" }
    } else if text.filter({ $0 == ":" }).count == 1 {
      text = text.prefix { $0 != ":" }
    }
    return bytes(text) == nil ? nil : String(text)
  }

  /// See `SocketAddress.ipBytes`; `nil` for what is not an address, and for one with a zone.
  private static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    text.contains("%") ? nil : try? SocketAddress(ipAddress: String(text), port: 0).ipBytes
  }
}
