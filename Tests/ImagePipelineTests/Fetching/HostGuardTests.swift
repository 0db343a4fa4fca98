import Testing

@testable import ImageFetching
@testable import ImageModel

@Suite struct `A host guard` {
  @Test(arguments: [
    "10.0.0.1", "127.0.0.1", "169.254.169.254", "[::]", "[::1]", "[::127.0.0.1]",
    "[::ffff:10.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::8.8.8.8]",
    "[100::1]", "[2001::1]", "[2001:db8::1]", "[2002:7f00:1::]", "[2002:c0a8:101::1]", "[3fff::1]",
    "[fc00::1]", "[fd12:3456::1]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[4000::1]",
    "[2001:470::5efe:10.0.0.1]", "[2a00:1450::200:5efe:127.0.0.1]",
    "[2606:4700::300:5efe:169.254.169.254]", "[2002:808:808::5efe:192.168.0.1]",
  ])
  func `refuses an address that is not public`(address: String) {
    #expect(HostGuard.isPublic(literal: address) == false)
  }

  @Test(arguments: [
    "8.8.8.8", "[2606:4700::1111]", "[2a00:1450::1]", "[::ffff:8.8.8.8]", "[64:ff9b::8.8.8.8]",
    "[2002:808:808::1]", "[2001:470::5efe:8.8.8.8]", "[2a00:1450::200:5efe:8.8.8.8]",
    "[2a00:1450::400:5efe:10.0.0.1]",
  ])
  func `permits a public address`(address: String) {
    #expect(HostGuard.isPublic(literal: address) == true)
  }

  @Test func `checks names before connecting, and leaves others to their address`() throws {
    let judge = { (url: String) in try HostGuard().judge(#require(WebURL(url))) }

    #expect(try judge("http://localhost/") == .refused)
    #expect(try judge("http://LOCALHOST./") == .refused)
    #expect(try judge("http://a.localhost:80/") == .refused)
    #expect(try judge("http://10.0.0.1/") == .refused)
    #expect(try judge("http://example.org/") == .publicAddresses)
    #expect(try judge("http://8.8.8.8/") == .publicAddresses)
  }

  @Test func `exempts the given host and port, and no other port`() throws {
    let hostGuard = HostGuard(exempting: [
      "http://Intranet.example/api/4/", "not a url", "https://[::1]:8443",
    ])
    let judge = { (url: String) in try hostGuard.judge(#require(WebURL(url))) }

    #expect(try judge("http://intranet.example/other") == .anyAddress)
    #expect(try judge("https://intranet.example/") == .publicAddresses)
    #expect(try judge("http://intranet.example:8080/") == .publicAddresses)
    #expect(try judge("https://[::1]:8443/x") == .anyAddress)
    #expect(try judge("https://[::1]/x") == .refused)
  }

  @Test func `checks only names behind a proxy`() throws {
    var hostGuard = HostGuard()
    hostGuard.isBehindProxy = true

    #expect(try hostGuard.judge(#require(WebURL("http://example.org/"))) == .anyAddress)
    #expect(try hostGuard.judge(#require(WebURL("http://192.168.0.1/"))) == .refused)
  }

  /// The ranges as the IANA special-purpose address registry writes them.
  private static let ranges: [(address: String, length: Int)] = [
    ("0.0.0.0", 8), ("10.0.0.0", 8), ("100.64.0.0", 10), ("127.0.0.0", 8), ("169.254.0.0", 16),
    ("172.16.0.0", 12), ("192.0.0.0", 24), ("192.0.2.0", 24), ("192.88.99.0", 24),
    ("192.168.0.0", 16), ("198.18.0.0", 15), ("198.51.100.0", 24), ("203.0.113.0", 24),
    ("224.0.0.0", 4), ("240.0.0.0", 4),
  ]

  private static func number(_ text: String) -> UInt32 {
    text.split(separator: ".").reduce(0) { $0 << 8 | (UInt32($1) ?? 0) }
  }

  @Test(arguments: zip(ranges.map(\.address), ranges.map(\.length)))
  func `agrees with the registry at the ends of each range, also inside of IPv6`(
    text: String, length: Int
  ) {
    let first = Self.number(text)
    let last = first | UInt32.max >> UInt32(length)
    let zeros = [UInt8](repeating: 0, count: 10)
    for address in [first &- 1, first, first + 1, last &- 1, last, last &+ 1] {
      let isPublic = !Self.ranges.contains {
        address >> (32 - $0.length) == Self.number($0.address) >> (32 - $0.length)
      }
      let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: address >> $0) }
      for form in [
        bytes, zeros + [0xFF, 0xFF] + bytes, [0, 0x64, 0xFF, 0x9B] + zeros[..<8] + bytes,
        [0x20, 0x02] + bytes + zeros,
      ] {
        let judged = form.withUnsafeBufferPointer { HostGuard.isPublic($0) }
        #expect(judged == isPublic, "\(form)")
      }
    }
  }

  @Test(arguments: 0...20)
  func `takes nothing but 4 or 16 bytes for an address`(count: Int) {
    // 32.32.32.32, and 2020:2020::.
    let bytes = [UInt8](repeating: 0x20, count: count)
    #expect(bytes.withUnsafeBufferPointer { HostGuard.isPublic($0) } == (count == 4 || count == 16))
  }
}
