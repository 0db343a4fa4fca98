/// Which bytes an entry holds: their name, their count and a checksum that guards reads.
public struct CacheContent: Sendable, Hashable {
  /// SHA-256 of the bytes, the name of their file.
  public let hash: BlobHash
  /// How many there are.
  public let byteCount: Int
  /// CRC-32C of the bytes.
  public let checksum: UInt32

  /// Names the bytes at hand.
  public init(of bytes: UnsafeRawBufferPointer) {
    hash = SHA256.hash(of: bytes)
    byteCount = bytes.count
    checksum = CRC32C.checksum(of: bytes)
  }

  init(hash: BlobHash, byteCount: Int, checksum: UInt32) {
    self.hash = hash
    self.byteCount = byteCount
    self.checksum = checksum
  }
}
