import CPlatform

#if canImport(Glibc)
  import Glibc
#else
  package import Darwin
#endif

/// The system's own file system; calls that a signal interrupted are made again.
package struct POSIXFileSystem: FileSystem {
  private let root: RootFolder?

  package init() { root = nil }

  private init(_ root: RootFolder?) { self.root = root }

  package func rooted(at directory: String) -> any FileSystem { Self(RootFolder(directory)) }

  package func canonicalPath(of path: String) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    let trimmed = path.last == "/" && path.count > 1 ? String(path.dropLast()) : path
    // The working directory was removed: the next call with the path says so.
    if trimmed == "." { return trimmed }
    guard let slash = trimmed.lastIndex(of: "/") else {
      return canonicalPath(of: ".") + "/" + trimmed
    }
    if slash == trimmed.startIndex { return trimmed }
    return canonicalPath(of: String(trimmed[..<slash])) + trimmed[slash...]
  }

  package func makeDirectory(_ path: String) throws(FileSystemFailure) {
    if imgc_folder_make(path, 0o755) != 0, errno != EEXIST { throw .last(path) }
  }

  package func spreadFolders(in directory: String) { imgc_spread_folders(directory) }

  package func create(_ path: String, mode: UInt16) throws(FileSystemFailure) -> Int32 {
    try opened(path, O_RDWR | O_CREAT | O_EXCL, mode)
  }

  package func createUnnamed(
    in directory: String, mode: UInt16
  ) throws(FileSystemFailure) -> Int32? {
    let file = imgc_file_open_unnamed(directory, UInt32(mode))
    if file >= 0 { return file }
    if errno == EOPNOTSUPP { return nil }
    throw .last(directory)
  }

  package func link(_ file: Int32, to path: String) throws(FileSystemFailure) {
    if imgc_file_link(file, path) != 0 { throw .last(path) }
  }

  package func openRegular(
    _ path: String, forWriting: Bool
  ) throws(FileSystemFailure) -> (file: Int32, facts: FileFacts) {
    let file = try opened(path, forWriting ? O_RDWR : O_RDONLY, 0)
    do throws(FileSystemFailure) {
      let facts = try facts(of: file)
      guard facts.isRegular else { throw FileSystemFailure.irregular(path) }
      return (file, facts)
    } catch {
      close(file)
      throw error
    }
  }

  package func read(_ path: String, byteCount: Int) throws(FileSystemFailure) -> [UInt8]? {
    let file = if let file = root?.open(path) { file } else { try opened(path, O_RDONLY, 0) }
    defer { close(file) }
    var count = 0
    // One byte more tells a longer file; what is not a regular file has no offset to read at.
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount + 1) { room, filled in
      repeat {
        let rest = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(room)[filled...])
        count = system { pread(file, rest.baseAddress, rest.count, off_t(filled)) }
        filled += max(0, count)
      } while count > 0 && filled < byteCount
    }
    if count < 0 {
      if errno == ESPIPE || errno == EISDIR { throw FileSystemFailure.irregular(path) }
      throw .last(path)
    }
    return bytes.count == byteCount ? bytes : nil
  }

  package func openCached(_ path: String, byteCount: Int) -> Int32? {
    guard let file = root?.open(path) ?? (try? opened(path, O_RDONLY, 0)) else { return nil }
    if let facts = try? facts(of: file), facts.isRegular, facts.byteCount == byteCount,
      imgc_file_is_cached(file, byteCount)
    {
      return file
    }
    close(file)
    return nil
  }

  package func openDirectory(_ path: String) throws(FileSystemFailure) -> Int32 {
    try opened(path, O_RDONLY | O_DIRECTORY, 0)
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int
  ) throws(FileSystemFailure) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = system { pwrite(file, rest.baseAddress, rest.count, off_t(offset + done)) }
      if count < 0 { throw .last("") }
      if count == 0 { throw FileSystemFailure(number: ENOSPC, path: "") }
      done += count
    }
  }

  package func truncate(_ file: Int32) throws(FileSystemFailure) {
    if system({ Int(ftruncate(file, 0)) }) != 0 { throw .last("") }
  }

  package func read(
    into room: UnsafeMutableRawBufferPointer, from file: Int32, at offset: Int
  ) throws(FileSystemFailure) -> Int {
    var done = 0
    while done < room.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: room[done...])
      let count = system { pread(file, rest.baseAddress, rest.count, off_t(offset + done)) }
      if count < 0 { throw .last("") }
      if count == 0 { break }
      done += count
    }
    return done
  }

  package func facts(of file: Int32) throws(FileSystemFailure) -> FileFacts {
    var status = stat()
    if fstat(file, &status) != 0 { throw .last("") }
    return FileFacts(status)
  }

  package func facts(at path: String) throws(FileSystemFailure) -> FileFacts? {
    var status = stat()
    if imgc_file_status(path, &status) == 0 { return FileFacts(status) }
    if errno == ENOENT { return nil }
    throw .last(path)
  }

  package func exists(at path: String) throws(FileSystemFailure) -> Bool {
    let result = imgc_file_exists(path)
    if result < 0 { throw .last(path) }
    return result == 1
  }

  package func synchronize(_ file: Int32) throws(FileSystemFailure) {
    if system({ Int(fsync(file)) }) != 0 { throw .last("") }
  }

  package func synchronizeData(_ file: Int32) throws(FileSystemFailure) {
    #if canImport(Glibc)
      if system({ Int(fdatasync(file)) }) != 0 { throw .last("") }
    #else
      try synchronize(file)
    #endif
  }

  package func reserve(_ file: Int32, upTo end: Int) { imgc_file_reserve(file, Int64(end)) }

  package func setMode(_ mode: UInt16, of file: Int32) throws(FileSystemFailure) {
    if fchmod(file, mode_t(mode)) != 0 { throw .last("") }
  }

  package func close(_ file: Int32) { closeDescriptor(file) }

  package func rename(_ path: String, to other: String) throws(FileSystemFailure) {
    if imgc_file_rename(path, other) != 0 { throw .last(other) }
  }

  package func remove(_ path: String) throws(FileSystemFailure) {
    if imgc_file_remove(path) != 0, errno != ENOENT { throw .last(path) }
  }

  package func removeDirectoryIfEmpty(_ path: String) { _ = imgc_folder_remove(path) }

  package func names(in directory: String) throws(FileSystemFailure) -> [String] {
    let file = try openDirectory(directory)
    guard let stream = fdopendir(file) else {
      let failure = FileSystemFailure.last(directory)
      close(file)
      throw failure
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  package func space(at directory: String) throws(FileSystemFailure) -> FileSystemSpace {
    var status = statvfs()
    if statvfs(directory, &status) != 0 { throw .last(directory) }
    func bytes(_ blocks: Int) -> Int {
      let (bytes, overflow) = blocks.multipliedReportingOverflow(by: Int(status.f_frsize))
      return overflow ? .max : bytes
    }
    return FileSystemSpace(
      byteCount: bytes(Int(status.f_blocks)), freeByteCount: bytes(Int(status.f_bavail)))
  }

  package func mayWrite(in directory: String) -> Bool {
    imgc_folder_access(directory, R_OK | W_OK | X_OK) == 0
  }

  package func tryLock(_ file: Int32) throws(FileSystemFailure) -> Bool {
    if system({ Int(flock(file, LOCK_EX | LOCK_NB)) }) == 0 { return true }
    if errno == EWOULDBLOCK { return false }
    throw .last("")
  }

  package func unlock(_ file: Int32) { _ = system { Int(flock(file, LOCK_UN)) } }

  private func opened(
    _ path: String, _ flags: Int32, _ mode: UInt16
  ) throws(FileSystemFailure) -> Int32 {
    let file = imgc_file_open(path, flags, UInt32(mode))
    if file < 0 { throw .last(path) }
    return file
  }

  private func system(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }
}

func blockThread(microseconds: UInt32) { usleep(microseconds) }

/// Out of the type, whose own `close` would be meant.
private func closeDescriptor(_ file: Int32) { _ = close(file) }

/// An open directory. Opening a file from it does not walk the path to it, a fifth of an `open`.
private final class RootFolder: Sendable {
  private let path: String
  private let descriptor: Int32

  init?(_ path: String) {
    descriptor = imgc_folder_open(path)
    if descriptor < 0 { return nil }
    self.path = path + "/"
  }

  deinit { POSIXFileSystem().close(descriptor) }

  /// Opens a file below the directory for reading; `nil` if that fails, as after the directory was
  /// replaced, and the full path must be tried.
  func open(_ path: String) -> Int32? {
    guard path.hasPrefix(self.path) else { return nil }
    let file = path.withCString {
      imgc_file_open_from(descriptor, $0 + self.path.utf8.count, O_RDONLY, 0)
    }
    return file < 0 ? nil : file
  }
}

package struct FileFacts: Sendable, Hashable {
  package var byteCount: Int
  /// When it was last changed in any way (`ctime`), in nanoseconds since 1970.
  package var changed = 0
  /// When it was last written to, in seconds since 1970.
  package var modified: Int
  package var isRegular: Bool
  package var isDirectory: Bool
  /// The inode, which identifies the file regardless of its name.
  package var identity: UInt64
  /// The number of its names; 0 after it was removed.
  package var linkCount = 1
  /// The permissions: the lower nine bits.
  package var mode: UInt16
  package var owner: UInt32 = 0

  /// Whether any user may replace what is in it, and it is not this user's own.
  var isOpenToStrangers: Bool { mode & 0o002 != 0 && owner != geteuid() }
}

extension FileFacts {
  fileprivate init(_ status: stat) {
    #if canImport(Glibc)
      let (changed, modified) = (status.st_ctim, status.st_mtim)
    #else
      let (changed, modified) = (status.st_ctimespec, status.st_mtimespec)
    #endif
    self.init(
      byteCount: Int(status.st_size),
      changed: Int(changed.tv_sec) &* 1_000_000_000 &+ Int(changed.tv_nsec),
      modified: Int(modified.tv_sec), isRegular: status.st_mode & S_IFMT == S_IFREG,
      isDirectory: status.st_mode & S_IFMT == S_IFDIR, identity: UInt64(status.st_ino),
      linkCount: Int(status.st_nlink), mode: UInt16(status.st_mode & 0o777), owner: status.st_uid)
  }
}
