import ImageModel

/// The lock under which one process changes an index: that of the file `index.lock`, which the
/// system releases when a process ends.
struct IndexLock {
  /// Seconds that another process may have it.
  private static let patience = 10

  private let blobs: BlobStore
  private var files: any FileSystem { blobs.files }
  private var file: OpenFile?

  init(in blobs: BlobStore) { self.blobs = blobs }

  /// Waits for the lock. Makes the directory again if it was removed.
  mutating func acquire() throws {
    while true {
      let file = try file ?? OpenFile(blobs.openOrCreate(blobs.directory + "/index.lock"), files)
      self.file = file
      try wait(for: file.descriptor)
      do {
        // One that was removed excludes no one.
        if try files.facts(of: file.descriptor).linkCount > 0 { return }
      } catch {
        release()
        throw error
      }
      self.file = nil
    }
  }

  func release() {
    if let file { files.unlock(file.descriptor) }
  }

  mutating func close() { file = nil }

  private func wait(for file: Int32) throws {
    if try files.tryLock(file) { return }
    // A change takes some 50 µs, so look often.
    for attempt in 0..<(Self.patience * 2000) {
      blockThread(microseconds: attempt < 20 ? 50 : 500)
      if try files.tryLock(file) { return }
    }
    throw ImageError(
      .cacheUnusable,
      "another process has been changing the cache's index for \(Self.patience) seconds")
  }
}
