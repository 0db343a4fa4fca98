import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lock under which one process changes an index: that of the file `index.lock`, which the
/// system releases when a process ends.
struct IndexLock {
  /// Seconds that another process may have it.
  private static let patience = 10

  private let path: String
  private let files: any FileSystem
  private var file: OpenFile?

  init(path: String, files: any FileSystem) {
    self.path = path
    self.files = files
  }

  /// Waits for the lock.
  ///
  /// - Parameter prepare: Makes the directory again, when it was removed.
  mutating func take(_ prepare: () throws(FileSystemFailure) -> Void) throws {
    while true {
      let file = try file ?? OpenFile(open(prepare), files)
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

  /// Closes the file.
  mutating func close() { file = nil }

  private func open(
    _ prepare: () throws(FileSystemFailure) -> Void
  ) throws(FileSystemFailure) -> Int32 {
    for _ in 0..<8 {
      do {
        return try files.open(path, forWriting: true)
      } catch  where error.isAbsent {
        do {
          return try files.create(path, mode: 0o644)
        } catch {
          if error.isAbsent { try prepare() } else if !error.exists { throw error }
        }
      }
    }
    throw FileSystemFailure(number: FileSystemFailure.absent, path: path)
  }

  private func wait(for file: Int32) throws {
    if try files.tryLock(file) { return }
    // A change takes some 50 µs, so look often.
    for attempt in 0..<(Self.patience * 2000) {
      usleep(attempt < 20 ? 50 : 500)
      if try files.tryLock(file) { return }
    }
    throw ImageError(
      .cacheUnusable,
      "another process has been changing the cache's index for \(Self.patience) seconds")
  }
}
