import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

@Suite struct `CMYK` {
  /// A JPEG of 8 by 8 pixels with the same four inks everywhere; 255 is full ink.
  ///
  /// Its tables are minimal: DC categories have four bits each, and the one AC
  /// code, a single zero, ends a block.
  static func jpeg(_ inks: [UInt8], profile: [UInt8]?) -> [UInt8] {
    func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
      let count = body.count + 2
      let head: [UInt8] = [0xff, marker, UInt8(count >> 8), UInt8(count & 255)]
      return head + body
    }
    func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
    var frame: [UInt8] = [8, 0, 8, 0, 8, 4]
    var scan: [UInt8] = [4]
    for component in UInt8(1)...4 {
      frame += [component, 0x11, 0]
      scan += [component, 0]
    }
    scan += [0, 63, 0]
    let categories: [UInt8] = [0, 0, 0, 0, 9] + zeros(12) + Array(0...8)
    let blockEnd: [UInt8] = [0x10, 1] + zeros(16)
    var bytes: [UInt8] = [0xff, 0xd8]
    bytes += segment(0xee, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0])
    if let profile {
      bytes += segment(0xe2, Array("ICC_PROFILE".utf8) + [0, 1, 1] + profile)
    }
    bytes += segment(0xdb, [0] + [UInt8](repeating: 8, count: 64))
    bytes += segment(0xc0, frame)
    bytes += segment(0xc4, categories)
    bytes += segment(0xc4, blockEnd)
    bytes += segment(0xda, scan)
    var bits: [Bool] = []
    for ink in inks {
      // Adobe's files are inverted; a quantiser of 8 makes the DC coefficient the sample.
      let value = 255 - Int(ink) - 128
      let category = Int.bitWidth - value.magnitude.leadingZeroBitCount
      let code = value < 0 ? value + (1 << category) - 1 : value
      bits += (0..<4).map { category >> (3 - $0) & 1 == 1 }
      bits += (0..<category).map { code >> (category - 1 - $0) & 1 == 1 }
      bits.append(false)
    }
    while bits.count % 8 != 0 { bits.append(true) }
    for start in stride(from: 0, to: bits.count, by: 8) {
      var byte: UInt8 = 0
      for bit in bits[start..<start + 8] { byte = byte << 1 | (bit ? 1 : 0) }
      bytes.append(byte)
      if byte == 0xff { bytes.append(0) }
    }
    return bytes + [0xff, 0xd9]
  }

  /// A profile that maps inks to unusual colors: cyan to red, all black to black, and the
  /// others to a light gray; no ink to white.
  static func profile() -> [UInt8] {
    let ramp = [UInt8](0...255)
    var table = Array("mft1".utf8) + SampleProfile.big(0) + [4, 3, 2, 0]
    for entry in 0..<9 { table += SampleProfile.big(entry % 4 == 0 ? 65_536 : 0) }
    for _ in 0..<4 { table += ramp }
    for corner in 0..<16 {  // cyan varies least, black most
      let (cyan, black) = (corner & 8 != 0, corner & 1 != 0)
      let lightness: UInt8 = corner == 0 ? 255 : 200
      table += black ? [0, 128, 128] : cyan ? [136, 208, 195] : [lightness, 128, 128]
    }
    for _ in 0..<3 { table += ramp }
    return SampleProfile.bytes("prtrCMYKLab ", [("A2B0", table)])
  }

  static func read(
    _ bytes: [UInt8], _ color: DecodingOptions.Color, isPartial: Bool = false
  ) throws -> (pixel: [UInt8], warnings: [String]) {
    let options = with(DecodingOptions()) { ($0.color, $0.allowsPartial) = (color, isPartial) }
    let reader = try FrameReader(bytes.span.bytes, options: options)
    let frame = try #require(try reader.next(of: bytes.span.bytes))
    return (frame.pixels[3, 3], reader.warnings)
  }

  static let cases: [(inks: [UInt8], plain: [UInt8], converted: [UInt8])] = [
    ([255, 0, 0, 0], [0, 255, 255], [251, 0, 8]),
    ([0, 0, 0, 0], [255, 255, 255], [255, 255, 255]),
    ([0, 0, 0, 255], [0, 0, 0], [0, 0, 0]),
    ([0, 255, 0, 0], [255, 0, 255], [193, 193, 193]),
  ]

  static func isNear(_ pixel: [UInt8], _ expected: [UInt8]) -> Bool {
    pixel[3] == 255 && zip(pixel, expected).allSatisfy { abs(Int($0) - Int($1)) <= 6 }
  }

  @Test func `only a profile of inks is used for inks, and not for red, green and blue`() throws {
    let options = with(EncodingOptions(quality: 95)) { $0.iccProfile = Self.profile() }
    let bytes = try ImageCodecs.encodeJPEG(
      SampleImages.flat(16, 16, [200, 100, 30, 255]), options: options)
    let warnings = ["the embedded profile cannot be used"]

    let profiled = Self.jpeg([255, 0, 0, 0], profile: Self.profile())
    let converted = try Self.read(profiled, .srgb)
    let plain = try Self.read(Self.jpeg([255, 0, 0, 0], profile: nil), .srgb)
    let other = try Self.read(
      Self.jpeg([255, 0, 0, 0], profile: `ICC profiles`.swappedProfile()), .srgb)
    let colors = try Self.read(bytes, .srgb)

    #expect(Self.isNear(converted.pixel, [251, 0, 8]) && converted.warnings.isEmpty)
    #expect(try ImageCodecs.info(of: profiled.span.bytes).colorModel == .cmyk)
    #expect(Self.isNear(plain.pixel, [0, 255, 255]) && plain.warnings.isEmpty)
    #expect(Self.isNear(other.pixel, [0, 255, 255]) && other.warnings == warnings)
    #expect(abs(Int(colors.pixel[0]) - 200) <= 3 && colors.warnings == warnings)
  }
}
