import Foundation

@testable import DiskCaching
@testable import ImageModel

extension DiskCache.Configuration {
  /// Sets a limit for exactly this many files of up to 4 KiB; folders and the index do not count.
  mutating func setRoom(files count: Int) {
    maximumByteCount = count * BlobStore.blockByteCount
    countsOverhead = false
  }
}

extension DiskCache {
  func list(matching selection: EntrySelection = .all) async -> [CacheRecord] {
    var list: [CacheRecord] = []
    for await record in entries(matching: selection) { list.append(record) }
    return list
  }

  /// Opens a directory through the test's file system.
  convenience init(_ configuration: Configuration, files: any FileSystem) throws(ImageError) {
    self.init(try DiskStore(configuration, files: files))
  }
}

extension CacheRecord {
  /// A record as tests need it; without bytes it is a negative one.
  static func stub(byteCount: Int?, failure: ImageError.Code? = nil) -> CacheRecord {
    var record = CacheRecord(
      key: .original(url: "http://test.invalid/a.jpg"), at: Date(timeIntervalSince1970: 1e9))
    record.failure = failure
    record.content = byteCount.map { count in
      [UInt8](repeating: 7, count: count).withUnsafeBytes { CacheContent(of: $0) }
    }
    return record
  }
}
