import CCrypto
import CPlatform
import Synchronization

/// SHA-256 over bytes that arrive in pieces; the only importer of libcrypto. Source: FIPS 180-4.
public final class SHA256 {
  private let context: OpaquePointer?

  /// The algorithm, looked up once and never freed: the search takes as long as hashing a kilobyte.
  private static let shared = SharedPointer(EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256())
  private static var algorithm: OpaquePointer? { shared.pointer }

  /// Creates a hasher that has no bytes yet.
  public init() {
    context = EVP_MD_CTX_new()
    EVP_DigestInit_ex(context, Self.algorithm, nil)
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds bytes.
  public func update(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 0 else { return }
    Self.report(bytes, by: self)
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// Returns the digest of all bytes so far, and resets the hasher.
  public func finish() -> BlobHash {
    let digest = Self.collect { EVP_DigestFinal_ex(context, $0, nil) }
    EVP_DigestInit_ex(context, Self.algorithm, nil)
    return digest
  }

  /// Returns the digest of some bytes.
  public static func hash(of bytes: UnsafeRawBufferPointer) -> BlobHash {
    report(bytes, by: nil)
    return collect { EVP_Digest(bytes.baseAddress, bytes.count, $0, nil, algorithm, nil) }
  }

  /// Returns the HMAC-SHA256 of a message under a key of any length. Source: RFC 2104.
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

  private static let isObserved = Atomic(false)
  private static let observer = Locked<Observer?>(nil)

  /// Receives bytes that are hashed, and the hasher; `nil` where they are hashed at once.
  package typealias Observer = @Sendable (UnsafeRawBufferPointer, ObjectIdentifier?) -> Void

  /// Sets what receives all bytes that are hashed in this process; for a test that counts them.
  package static func setObserver(_ observer: Observer?) {
    self.observer.withLock { $0 = observer }
    isObserved.store(observer != nil, ordering: .relaxed)
  }

  private static func report(_ bytes: UnsafeRawBufferPointer, by hasher: SHA256?) {
    guard isObserved.load(ordering: .relaxed) else { return }
    observer.withLock { $0 }?(bytes, hasher.map { ObjectIdentifier($0) })
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

/// The checksum CRC-32C (Castagnoli) of bytes. Source: RFC 3720, appendix B.4.
///
/// Detects accidental damage, not tampering; some 20 GB/s where the processor has the instruction.
public struct CRC32C: Sendable, Hashable {
  /// The checksum of all bytes so far; 0 for none.
  public private(set) var value: UInt32 = 0

  /// Creates the checksum of no bytes.
  public init() {}

  /// Adds bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    value = imgc_crc32c(value, bytes.baseAddress, bytes.count)
  }

  /// Returns the checksum of some bytes.
  public static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    imgc_crc32c(0, bytes.baseAddress, bytes.count)
  }
}
