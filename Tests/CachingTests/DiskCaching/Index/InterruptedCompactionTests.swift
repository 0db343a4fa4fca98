import Foundation
import Testing

@testable import DiskCaching
@testable import ImageModel
@testable import TestSupport

@Suite struct `A compaction that was interrupted` {
  private let directory = TemporaryDirectory()

  private func open() throws -> DiskStore {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.maximumByteCount = 1 << 30
    return try DiskStore(configuration)
  }

  private func key(_ number: Int) -> CacheKey { .original(url: "https://a.org/\(number)") }

  /// A process that is killed while it writes the new log leaves a part of it; the table names the
  /// old one.
  @Test func `costs no entry after the next start of the machine`() throws {
    do {
      let cache = try open()
      for number in 0..<20 {
        try cache.store([UInt8(number)], CacheRecord(key: key(number), at: Date()))
      }
    }
    let log = try Data(contentsOf: URL(fileURLWithPath: directory.path("cache/index.records.1")))
    try log.prefix(log.count / 2)
      .write(to: URL(fileURLWithPath: directory.path("cache/index.records.2")))
    let table = try FileHandle(
      forUpdating: URL(fileURLWithPath: directory.path("cache/index.table")))
    try table.seek(toOffset: UInt64(8 * EntryTable.Word.boot))
    try table.write(contentsOf: Data([1, 2, 3, 4, 5, 6, 7, 8]))
    try table.close()

    let cache = try open()

    for number in 0..<20 { #expect(cache.read(key(number))?.bytes == [UInt8(number)], "\(number)") }
  }
}
