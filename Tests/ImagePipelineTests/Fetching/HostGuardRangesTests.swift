import Testing

@testable import ImageFetching
@testable import ImageModel

/// Against the ranges as the IANA special-purpose address registry writes them.
@Suite struct `A host guard and the registered address ranges` {
  private static let ranges: [(address: String, length: Int)] = [
    ("0.0.0.0", 8), ("10.0.0.0", 8), ("100.64.0.0", 10), ("127.0.0.0", 8), ("169.254.0.0", 16),
    ("172.16.0.0", 12), ("192.0.0.0", 24), ("192.0.2.0", 24), ("192.88.99.0", 24),
    ("192.168.0.0", 16), ("198.18.0.0", 15), ("198.51.100.0", 24), ("203.0.113.0", 24),
    ("224.0.0.0", 4), ("240.0.0.0", 4),
  ]

  private static func number(_ text: String) -> UInt32 {
    text.split(separator: ".").reduce(0) { $0 << 8 | (UInt32($1) ?? 0) }
  }

  private static func isPublic(_ address: UInt32) -> Bool {
    !ranges.contains { address >> (32 - $0.length) == number($0.address) >> (32 - $0.length) }
  }

  private static func bytes(_ address: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: address >> $0) }
  }

  private static func judged(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { HostGuard.isPublic($0) }
  }

  @Test func `agree on the first and last address of each range, and on its neighbors`() {
    for (text, length) in Self.ranges {
      let first = Self.number(text)
      let last = first | (length == 0 ? .max : UInt32.max >> UInt32(length))
      for address in [first &- 1, first, first + 1, last - 1, last, last &+ 1] {
        #expect(
          Self.judged(Self.bytes(address)) == Self.isPublic(address), "\(Self.bytes(address))")
      }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `agree on random addresses, also inside of IPv6 ones`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<2000 {
      var address = UInt32.random(in: .min ... .max, using: &generator)
      // Half of them are near a range.
      if Bool.random(using: &generator), let range = Self.ranges.randomElement(using: &generator) {
        address = Self.number(range.address) ^ (address >> UInt32(range.length - 1))
      }
      let (bytes, wanted) = (Self.bytes(address), Self.isPublic(address))
      let zeros = [UInt8](repeating: 0, count: 10)
      let forms: [(String, [UInt8])] = [
        ("plain", bytes), ("mapped", zeros + [0xFF, 0xFF] + bytes),
        ("NAT64", [0, 0x64, 0xFF, 0x9B] + zeros[..<8] + bytes),
        ("6to4", [0x20, 0x02] + bytes + zeros),
      ]
      for (name, form) in forms {
        #expect(Self.judged(form) == wanted, "\(name) \(bytes), seed \(seed)")
      }
    }
  }

  @Test(arguments: 0...20)
  func `agree that nothing but 4 or 16 bytes is an address`(count: Int) {
    // 32.32.32.32, and 2020:2020::.
    let bytes = [UInt8](repeating: 0x20, count: count)

    #expect(Self.judged(bytes) == (count == 4 || count == 16))
  }
}
