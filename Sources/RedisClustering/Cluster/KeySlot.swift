import NIOCore

/// The part of a cluster's key space that a key belongs to: 0 through 16,383.
///
/// Source: Redis cluster specification, "Key distribution model"; the checksum is CRC-16/XMODEM.
enum KeySlot {
  static let count = 16_384

  /// Returns the slot of a key: of what is between its first `{` and the next `}`, if anything is.
  static func slot(of key: ByteBuffer) -> Int {
    let bytes = key.readableBytesView
    var tag = bytes[...]
    if let open = bytes.firstIndex(of: 0x7B) {
      let rest = bytes[(open + 1)...]
      if let close = rest.firstIndex(of: 0x7D), close > open + 1 { tag = bytes[(open + 1)..<close] }
    }
    return Int(checksum(tag)) & (count - 1)
  }

  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(0) { value, byte in (value << 8) ^ table[Int((value >> 8) ^ UInt16(byte))] }
  }

  /// The checksum of each byte: polynomial 0x1021, most significant bit first.
  private static let table: [UInt16] = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { value, _ in
      value & 0x8000 != 0 ? (value << 1) ^ 0x1021 : value << 1
    }
  }
}
