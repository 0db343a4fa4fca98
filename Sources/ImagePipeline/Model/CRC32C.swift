import CPlatform

/// The checksum CRC-32C (Castagnoli; RFC 3720, appendix B.4) of a run of bytes.
///
/// It tells damage by accident, not by intent; some 20 GB/s where the processor has the instruction.
public struct CRC32C: Sendable, Hashable {
  /// The checksum of all bytes so far; 0 for none.
  public private(set) var value: UInt32 = 0

  /// Begins with no bytes.
  public init() {}

  /// Takes in more bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    value = imgc_crc32c(value, bytes.baseAddress, bytes.count)
  }

  /// The checksum of some bytes.
  public static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    imgc_crc32c(0, bytes.baseAddress, bytes.count)
  }
}
