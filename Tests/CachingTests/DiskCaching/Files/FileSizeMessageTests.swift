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

  @Test func `of a document names the limit of documents`() throws {
    let message = try message(storing: 9_000, as: .document(url: "https://a.org/day")) {
      $0.maximumByteCount = 64 << 20
      $0.maximumDocumentByteCount = 8 << 10
      $0.countsOverhead = false
    }

    #expect(
      message == """
        https://a.org/day has 8.8 KiB, more than the 8 KiB that \
        DiskCache.Configuration.maximumDocumentByteCount 8 KiB leaves for files; raise \
        DiskCache.Configuration.maximumDocumentByteCount
        """)
  }

  @Test func `of a document beside pinned ones names the limit of documents`() throws {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.maximumDocumentByteCount = 8 << 10
    configuration.countsOverhead = false
    let cache = try DiskStore(configuration)
    for name in ["a", "b"] {
      var pinned = CacheRecord(key: .document(url: "https://a.org/\(name)"), at: Date())
      pinned.groups = ["mine"]
      try cache.store(Array(name.utf8), pinned)
    }
    try cache.setPinned(true, group: "mine")

    let error = #expect(throws: ImageError.self) {
      try cache.store([1], CacheRecord(key: .document(url: "https://a.org/c"), at: Date()))
    }

    let message = error?.message ?? ""
    #expect(message.contains("8 KiB"), "\(message)")
    #expect(
      message.hasSuffix("raise DiskCache.Configuration.maximumDocumentByteCount"), "\(message)")
  }
}
