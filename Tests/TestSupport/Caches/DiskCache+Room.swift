import ImageModel

@testable import DiskCaching

extension DiskCache.Configuration {
  /// Sets a limit for exactly this many files of up to 4 KiB; folders and the index do not count.
  mutating func setRoom(files count: Int) {
    maximumByteCount = count * BlobStore.blockByteCount
    countsOverhead = false
  }
}

extension DiskCache {
  /// The entries of a selection as an array.
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
