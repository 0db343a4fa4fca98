import CCrypto

/// SHA-256 (FIPS 180-4) over bytes that arrive in pieces; wraps libcrypto.
public final class SHA256 {
  private let context: OpaquePointer?

  /// The algorithm, looked up once and never freed: libcrypto's search for an implementation takes
  /// as long as hashing a kilobyte.
  private static let shared = SharedPointer(EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256())
  private static var algorithm: OpaquePointer? { shared.pointer }

  /// Creates a hasher of no bytes.
  public init() {
    context = EVP_MD_CTX_new()
    EVP_DigestInit_ex(context, Self.algorithm, nil)
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes.
  public func update(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 0 else { return }
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// Returns the digest of all bytes so far, and resets the hasher.
  public func finish() -> BlobHash {
    let digest = Self.collect { EVP_DigestFinal_ex(context, $0, nil) }
    EVP_DigestInit_ex(context, Self.algorithm, nil)
    return digest
  }

  /// The digest of some bytes.
  public static func hash(of bytes: UnsafeRawBufferPointer) -> BlobHash {
    collect { EVP_Digest(bytes.baseAddress, bytes.count, $0, nil, algorithm, nil) }
  }

  /// HMAC-SHA256 (RFC 2104) of a message under a key of any length.
  public static func authenticationCode(
    for message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
  ) -> BlobHash {
    collect { room in
      let result = HMAC(
        EVP_sha256(), key.baseAddress, Int32(key.count),
        message.assumingMemoryBound(to: UInt8.self).baseAddress, message.count, room, nil)
      return result == nil ? 0 : 1
    }
  }

  private static func collect(_ body: (UnsafeMutablePointer<UInt8>?) -> Int32) -> BlobHash {
    let digest = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { room -> BlobHash? in
      let done = body(room.assumingMemoryBound(to: UInt8.self).baseAddress)
      precondition(done == 1, "libcrypto cannot compute SHA-256")
      return BlobHash(bytes: UnsafeRawBufferPointer(rebasing: room[..<32]))
    }
    guard let digest else { preconditionFailure("a digest has 32 bytes") }
    return digest
  }
}
