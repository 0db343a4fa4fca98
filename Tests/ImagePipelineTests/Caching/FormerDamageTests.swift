import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel

@Suite struct `A former index with impossible numbers` {
  private let directory = TemporaryDirectory()

  private func key(_ number: Int) -> CacheKey { .original(url: "https://a.org/\(number)") }

  private func open(after statement: String) throws -> DiskStore {
    let path = directory.path("cache")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let entries = (0..<3).map { (CacheRecord(key: key($0), at: Date()), [UInt8($0)]) }
    try FormerDatabase(path: path + "/index.sqlite", version: 4).write(entries, in: path)
    try SQLiteDatabase(path: path + "/index.sqlite", access: .writing).execute(statement)
    var configuration = DiskCache.Configuration(directory: path)
    configuration.maximumByteCount = 16 << 20
    configuration.maximumAge = .seconds(86_400)
    return try DiskStore(configuration)
  }

  @Test func `takes a negative number of accesses as none`() throws {
    let cache = try open(after: "UPDATE entry SET accesses = -5 WHERE name LIKE '%/1'")

    #expect(cache.record(for: key(1))?.accessCount == 0)
    #expect(cache.read(key(1))?.bytes == [1])
  }

  @Test func `does not take over an entry larger than any file`() throws {
    let cache = try open(
      after: "UPDATE entry SET byte_count = 9223372036854775807 WHERE name NOT LIKE '%/1'")

    #expect(cache.read(key(1))?.bytes == [1])
    #expect(cache.read(key(2)) == nil)
  }

  @Test(arguments: [Int64.min, .max])
  func `has entries of any time`(microseconds: Int64) throws {
    let cache = try open(
      after: """
        UPDATE entry SET responded = \(microseconds), requested = \(microseconds),
          fetched = \(microseconds), accessed = \(microseconds) WHERE name LIKE '%/1'
        """)

    // An entry of the beginning of time is too old, one of its end is not.
    #expect(cache.read(key(1))?.bytes == (microseconds < 0 ? nil : [1]))
    #expect(cache.read(key(2))?.bytes == [2])
    #expect(try cache.collectGarbage().expiredCount == (microseconds < 0 ? 1 : 0))
  }
}
