import ImageFetching
import ImageModel
import SharedCaching

/// A bucket behind the shared tier.
struct TierBucket: TierObjectStore {
  private let reads: S3Client
  /// Apart from reads, which must not wait for a store that takes long to write.
  private let writes: S3Client

  init(
    _ bucket: S3Bucket, _ certificates: TrustedCertificates, maximumByteCount: Int
  ) throws(ImageError) {
    var configuration = S3Client.Configuration()
    configuration.certificates = certificates
    // The header before a body is short.
    configuration.maximumByteCount = maximumByteCount + (1 << 20)
    // A load waits for it, and its origin is there.
    configuration.retryPolicy.maximumRetryCount = 1
    reads = try S3Client(bucket, configuration)
    writes = try S3Client(bucket, configuration)
  }

  func object(_ name: String, until deadline: ContinuousClock.Instant) async throws -> [UInt8]? {
    do {
      return try await reads.get(name, deadline: deadline).bytes
    } catch let error as ImageError
      where (error.cause as? S3Failure)?.code == "NoSuchKey"
      || error.status == 404 && error.cause == nil
    {
      return nil
    }
  }

  func store(
    _ bytes: [UInt8], as name: String, until deadline: ContinuousClock.Instant
  ) async throws {
    try await writes.put(name, bytes, deadline: deadline)
  }

  func remove(_ name: String, until deadline: ContinuousClock.Instant) async throws {
    try await writes.delete(name, deadline: deadline)
  }
}
