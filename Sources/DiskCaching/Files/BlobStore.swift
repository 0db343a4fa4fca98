import ImageModel
import TextEncodings

/// The files of a cache directory: blobs named by the hash of their bytes, and those being written.
///
/// `blobs/ab/abcd…` for images and `documents/ab/…` for documents, mode 0444; `tmp/ab/` for files
/// being written, which have no name where the file system has such files.
///
/// A file remains in the region of the disk where it was created, even if it is moved to another
/// folder. So the folders in `tmp` are spread over the disk: ext4 without a journal skips every
/// file recently removed from a region before it finds room for a new one there, and a cache that
/// evicts at each store took twenty times as long in one region.
struct BlobStore: Sendable {
  static let blockByteCount = 4096

  let directory: String
  var files: any FileSystem
  let synchronizes: Bool
  /// Folders that temporary files are spread over; few where the cache is small.
  var temporaryFolderCount = 64

  private var topFolders: [String] {
    (["", "/tmp", "/partial"] + BlobArea.allCases.map { "/" + $0.folder }).map { directory + $0 }
  }

  private func facts(ofFolder path: String) throws(FileSystemFailure) -> FileFacts? {
    let facts = try files.facts(at: path)
    if facts?.isDirectory ?? true { return facts }
    throw FileSystemFailure(number: FileSystemFailure.notADirectory, path: path)
  }

  /// Returns which folders are missing, first the directory itself. Throws `cacheUnusable` for one
  /// that is not a directory, or that any user may write to and that belongs to another: its files
  /// could be replaced at any time.
  func missingFolders() throws(ImageError) -> [String] {
    var missing: [String] = []
    for path in topFolders {
      let found: FileFacts?
      do { found = try facts(ofFolder: path) } catch { throw Self.unusable(directory, error) }
      guard let found else {
        missing.append(path)
        continue
      }
      guard !found.isOpenToStrangers else {
        throw ImageError(
          .cacheUnusable,
          """
          the cache directory \(path) belongs to another user and every user may write to it, so its \
          files could be replaced at any time; use a directory of your own, or have its owner run \
          'chmod o-w'
          """)
      }
    }
    return missing
  }

  static func unusable(_ directory: String, _ failure: FileSystemFailure) -> ImageError {
    ImageError(
      .cacheUnusable,
      "the cache directory \(directory) cannot be used: \(failure.reason) (\(failure.path))",
      cause: failure.cause)
  }

  func prepare() throws(FileSystemFailure) {
    for path in topFolders where try facts(ofFolder: path) == nil { try makeDirectories(path) }
    guard files.mayWrite(in: directory), files.mayWrite(in: directory + "/tmp") else {
      throw FileSystemFailure(number: FileSystemFailure.noPermission, path: directory)
    }
  }

  /// Bytes that a file takes of a limit: its length rounded up to blocks.
  static func counted(_ byteCount: Int) -> Int {
    let (padded, overflow) = byteCount.addingReportingOverflow(blockByteCount - 1)
    return overflow ? .max : padded / blockByteCount * blockByteCount
  }

  /// Opens a file of the directory for writing, creating it if it is absent. Other processes may
  /// create or remove it, or its folder, meanwhile.
  func openOrCreate(_ path: String) throws(FileSystemFailure) -> Int32 {
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

  func folder(of hash: BlobHash, in area: BlobArea) -> String {
    "\(directory)/\(area.folder)/\(hash.hex.prefix(2))"
  }

  func path(of hash: BlobHash, in area: BlobArea) -> String {
    // Every look-up makes a path; this takes a quarter of what interpolation does.
    String(unsafeUninitializedCapacity: directory.utf8.count + area.folder.utf8.count + 69) {
      room in
      var end = 0
      for part in [directory, "/", area.folder, "/"] {
        var part = part
        part.withUTF8 { bytes in
          for byte in bytes {
            room[end] = byte
            end += 1
          }
        }
      }
      hash.withBytes { Hex.write($0, to: room, at: end + 3) }
      room[end] = room[end + 3]
      room[end + 1] = room[end + 4]
      room[end + 2] = UInt8(ascii: "/")
      return end + 67
    }
  }

  /// Creates a temporary file: without a name where there are such files, so that nothing is left
  /// of it when its writer dies; otherwise locked, so that a sweep sees that its writer lives.
  func createTemporary() throws(FileSystemFailure) -> (path: String?, file: Int32) {
    let created = try inTemporaryFolder {
      folder, path throws(FileSystemFailure) -> (path: String?, file: Int32) in
      if let file = try files.createUnnamed(in: folder, mode: 0o444) { return (nil, file) }
      let file = try files.create(path, mode: 0o444)
      _ = try? files.tryLock(file)
      return (path, file)
    }
    // Whatever the umask says: other users may read what the directory lets them see.
    if (try? files.facts(of: created.file))?.mode != 0o444 {
      try? files.setMode(0o444, of: created.file)
    }
    return created
  }

  /// How often a folder of temporary files is made again that others remove once it is empty.
  private static let maximumFolderCount = 16

  /// Creates something in a folder of temporary files, which is made if it is absent. A collection
  /// of garbage removes empty ones at any time, also between the two: then ext4 refuses a file
  /// without a name in it with `EPERM`.
  private func inTemporaryFolder<Value>(
    _ body: (_ folder: String, _ path: String) throws(FileSystemFailure) -> Value
  ) throws(FileSystemFailure) -> Value {
    let (name, file) = TemporaryName.next(amongFolders: temporaryFolderCount)
    let folder = "\(directory)/tmp/\(name)"
    for _ in 0..<Self.maximumFolderCount {
      do {
        return try body(folder, "\(folder)/\(file)")
      } catch  where error.mayBeOfRemovedFolder {
        try prepare()
        files.spreadFolders(in: directory + "/tmp")
        try files.makeDirectory(folder)
      }
    }
    return try body(folder, "\(folder)/\(file)")
  }

  /// Replaces a small file of the directory whole or not at all. The name of a temporary file that
  /// is left behind tells that it may be removed; see ``Leftovers``.
  func replace(
    _ path: String, with bytes: [UInt8], mode: UInt16 = 0o644, isDurable: Bool = false
  ) throws(FileSystemFailure) {
    let new = "\(directory)/tmp/\(TemporaryName.next(amongFolders: 1).name)"
    let file: Int32
    do {
      file = try files.create(new, mode: mode)
    } catch  where error.isAbsent {
      try files.makeDirectory(directory + "/tmp")
      file = try files.create(new, mode: mode)
    }
    defer { files.close(file) }
    do throws(FileSystemFailure) {
      try bytes.span.bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
        try files.write(bytes, to: file, at: 0)
      }
      if isDurable { try files.synchronize(file) }
      try files.rename(new, to: path)
    } catch {
      try? files.remove(new)
      throw error
    }
  }

  /// Gives a written file its final name, whole or not at all, and returns whether nothing had it.
  /// The name is not on the disk yet.
  func publish(
    _ file: Int32, named temporary: String?, as content: CacheContent, in area: BlobArea
  ) throws(FileSystemFailure) -> Bool {
    do {
      return try name(file, temporary, content, in: area)
    } catch  where error.isAbsent {
      try makeDirectories(folder(of: content.hash, in: area))
    } catch  where error.isIrregular {
      // A directory is in its place; one that is not empty stays, and the error names it.
      files.removeDirectoryIfEmpty(path(of: content.hash, in: area))
    }
    return try name(file, temporary, content, in: area)
  }

  private func name(
    _ file: Int32, _ temporary: String?, _ content: CacheContent, in area: BlobArea
  ) throws(FileSystemFailure) -> Bool {
    let target = path(of: content.hash, in: area)
    if let temporary {
      let isNew = try !files.exists(at: target)
      try files.rename(temporary, to: target)
      return isNew
    }
    do throws(FileSystemFailure) {
      try files.link(file, to: target)
      return true
    } catch {
      guard error.exists else { throw error }
      // Bytes that another entry has as well; after a power loss the file may be empty.
      if (try? hash(at: target)) == content {
        // It may have been stored without waiting for the disk.
        if synchronizes { try synchronize(target) }
        return false
      }
      // No rename replaces a directory.
      if try files.facts(at: target)?.isDirectory == true { throw .irregular(target) }
      let other = try inTemporaryFolder { _, path throws(FileSystemFailure) in
        try files.link(file, to: path)
        return path
      }
      try files.rename(other, to: target)
      return false
    }
  }

  /// Reads a blob; `nil` when its file is absent, is not a regular file or has another length.
  func read(_ content: CacheContent, at path: String) throws(FileSystemFailure) -> [UInt8]? {
    do {
      return try files.read(path, byteCount: content.byteCount)
    } catch  where error.isAbsent || error.isIrregular {
      return nil
    }
  }

  /// Opens a blob's file; `nil` when it is absent, is not a regular file or has another length.
  func open(_ content: CacheContent, at path: String) throws(FileSystemFailure) -> BodyFile? {
    do {
      let (file, facts) = try files.openRegular(path, forWriting: false)
      let body = BodyFile(file)
      return facts.byteCount == content.byteCount ? body : nil
    } catch  where error.isAbsent || error.isIrregular {
      return nil
    }
  }

  func hash(at path: String) throws(FileSystemFailure) -> CacheContent? {
    guard let (file, _) = try files.openIfPresent(path, forWriting: false) else { return nil }
    defer { files.close(file) }
    let hasher = SHA256()
    var checksum = CRC32C()
    let count = try files.forEachPiece(of: file) { piece in
      hasher.update(piece)
      checksum.update(piece)
    }
    return CacheContent(hash: hasher.finish(), byteCount: count, checksum: checksum.value)
  }

  func holds(_ content: CacheContent, at path: String) -> Bool {
    guard let facts = try? files.facts(at: path) else { return false }
    return facts.isRegular && facts.byteCount == content.byteCount
  }

  /// Removes a blob's file, and its folder when that is empty then: under the writer's lock, as
  /// publishing runs, no process has just created the folder for another file.
  func remove(_ hash: BlobHash, in area: BlobArea) throws(FileSystemFailure) {
    let path = path(of: hash, in: area)
    do {
      try files.remove(path)
    } catch  where (try? files.facts(at: path))?.isDirectory == true {
      // Not made by the cache: one that is not empty stays.
      files.removeDirectoryIfEmpty(path)
    }
    files.removeDirectoryIfEmpty(folder(of: hash, in: area))
  }

  /// Makes a directory and those above it; in strict mode the disk has them then.
  private func makeDirectories(_ path: String) throws(FileSystemFailure) {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    do {
      try files.makeDirectory(path)
    } catch  where error.isAbsent {
      guard !parent.isEmpty, parent != "." else { throw error }
      try makeDirectories(parent)
      try files.makeDirectory(path)
    }
    if synchronizes { try synchronizeDirectory(parent.isEmpty ? "/" : parent) }
  }

  func synchronizeDirectory(_ path: String) throws(FileSystemFailure) {
    let file = try files.openDirectory(path)
    defer { files.close(file) }
    try files.synchronize(file)
  }

  private func synchronize(_ path: String) throws(FileSystemFailure) {
    let file = try files.open(path, forWriting: false)
    defer { files.close(file) }
    try files.synchronize(file)
  }
}

/// The two kinds of files in a cache directory. Only images count towards its limit.
enum BlobArea: Int, Sendable, CaseIterable {
  case images = 0
  case documents = 1

  var folder: String { self == .images ? "blobs" : "documents" }

  init(of key: CacheKey) { self = if case .document = key { .documents } else { .images } }
}
