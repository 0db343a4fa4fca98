/// Writes ICC profiles.
enum SampleProfile {
  /// - Parameter kind: Class, color space and connection space, of four letters each.
  static func bytes(_ kind: String, _ tags: [(String, [UInt8])]) -> [UInt8] {
    let text = Array("desc".utf8) + big(0, 2) + Array("x\0".utf8) + zeros(78)
    let white = xyz(0.9642, 1, 0.8249)
    let tags = [("desc", text), ("wtpt", white)] + tags
    let start = 128 + 4 + 12 * tags.count
    var table = big(tags.count)
    var data: [UInt8] = []
    for (name, body) in tags {
      table += Array(name.utf8) + big(start + data.count, body.count)
      data += body + zeros((4 - body.count % 4) % 4)
    }
    var header = big(start + data.count) + Array("test".utf8) + [2, 0x10, 0, 0]
    header += Array(kind.utf8) + [0x07, 0xe9, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
    header += zeros(68 - header.count) + white.dropFirst(8)
    return header + zeros(128 - header.count) + table + data
  }

  static func big(_ values: Int...) -> [UInt8] {
    values.flatMap { SamplePNG.bigEndian(UInt32(truncatingIfNeeded: $0)) }
  }

  static func xyz(_ values: Double...) -> [UInt8] {
    Array("XYZ ".utf8) + big(0) + values.flatMap { big(Int(($0 * 65_536).rounded())) }
  }

  /// Samples to the power of `gamma`, in 256ths.
  static func curve(_ gamma: Int) -> [UInt8] {
    Array("curv".utf8) + big(0, 1) + [UInt8(gamma >> 8), UInt8(gamma & 255), 0, 0]
  }

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
