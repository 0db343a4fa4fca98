import Foundation
import HTTPTypes
import ImageModel

@testable import DiskCaching
@testable import TestSupport

/// A directory for a cache, the clock and the log of those that are opened on it.
final class CacheFolder: Sendable {
  let directory = TemporaryDirectory()
  let clock = ManualClock()
  fileprivate let lines = Locked<[String]>([])

  func configuration(
    _ change: (inout DiskCache.Configuration) throws -> Void = { _ in }
  ) rethrows -> DiskCache.Configuration {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.clock = { [clock] in clock.now }
    configuration.log = { [lines] line in lines.withLock { $0.append(line) } }
    try change(&configuration)
    return configuration
  }
}

/// A suite of tests that each have a cache directory of their own.
protocol OnDisk {
  var folder: CacheFolder { get }
}

extension OnDisk {
  var clock: ManualClock { folder.clock }

  /// The lines that the caches have logged.
  var log: [String] { folder.lines.withLock { $0 } }

  /// The path of a file of the cache directory.
  func path(_ name: String) -> String { folder.directory.path("cache/" + name) }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

  /// The files below a folder of the cache directory.
  func files(under name: String = "") -> [String] {
    folder.directory.files(under: "cache/" + name)
  }

  func open(
    _ files: any FileSystem = POSIXFileSystem(),
    _ change: (inout DiskCache.Configuration) throws -> Void = { _ in }
  ) throws -> DiskStore {
    try DiskStore(folder.configuration(change), files: files)
  }

  func openCache(
    _ files: any FileSystem = POSIXFileSystem(),
    _ change: (inout DiskCache.Configuration) throws -> Void = { _ in }
  ) throws -> DiskCache {
    try DiskCache(folder.configuration(change), files: files)
  }

  func key(_ name: some CustomStringConvertible) -> CacheKey {
    .original(url: "https://a.org/\(name)")
  }

  func record(
    _ name: some CustomStringConvertible, _ fields: HTTPFields = [:], groups: Set<String> = []
  ) -> CacheRecord {
    var record = CacheRecord(key: key(name), at: clock.now)
    if !fields.isEmpty { record.headers = HeaderText(fields) }
    record.groups = groups
    return record
  }

  /// Bytes that differ by their seed.
  func bytes(_ seed: Int, count: Int = 1000) -> [UInt8] {
    let head = withUnsafeBytes(of: UInt64(seed).littleEndian) { Array($0) }
    return Array((head + [UInt8](repeating: 7, count: max(0, count - 8))).prefix(count))
  }

  /// Puts other bytes in the place of a file.
  func overwrite(_ path: String, _ bytes: [UInt8]) throws {
    try FileManager.default.removeItem(atPath: path)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// Puts a word into the table, as damage or another boot does.
  func overwriteTable(word: Int, _ bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path("index.table")))
    try file.seek(toOffset: UInt64(8 * word))
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }
}
