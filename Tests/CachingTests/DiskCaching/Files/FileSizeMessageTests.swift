import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `The message for a file over the limit` {
  private let directory = TemporaryDirectory()

  private func message(
    storing byteCount: Int, as key: CacheKey = .original(url: "https://a.org/x"),
    _ change: (inout DiskCache.Configuration) -> Void
  ) throws -> String {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    change(&configuration)
    let cache = try DiskStore(configuration)
    let error = #expect(throws: ImageError.self) {
      try cache.store(
        [UInt8](repeating: 1, count: byteCount), CacheRecord(key: key, at: Date()))
    }
    return error?.message ?? ""
  }

  /// A file takes whole blocks, so 18 KiB have room for 16 KiB.
  @Test(arguments: [(17_000, "17 KiB"), (18_432, "18 KiB"), (16_385, "16,385 B")])
  func `names less than the file has, also where the limit is not whole blocks`(
    byteCount: Int, count: String
  ) throws {
    let message = try message(storing: byteCount) {
      $0.maximumByteCount = 18 << 10
      $0.countsOverhead = false
    }

    let limit = count.hasSuffix(" B") ? "16,384 B" : "16 KiB"
    #expect(message.contains("has \(count), more than the \(limit) that"), "\(message)")
  }
}
