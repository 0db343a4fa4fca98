import ImageModel

/// The file `index.sqlite`. Versions 1 through 4 of the index were a database of that name; since
/// version 5 it holds nothing but the version, so that older programs refuse the directory by name.
enum IndexMarker {
  /// The version of the index.
  static let version: UInt32 = 5

  private static let byteCount = 512
  private static let magic = Array("SQLite format 3\0".utf8)
  /// Files of older versions, beside the database.
  private static let formerNames = [
    "index.sqlite-wal", "index.sqlite-shm", "index.sqlite-journal", "index.sqlite.lock",
    "index.generations",
  ]

  static func path(in directory: String) -> String { directory + "/index.sqlite" }

  /// Whether the directory is of this version.
  ///
  /// - Throws: `cacheUnusable` when a newer program made it, or something other than a regular file
  ///   is there.
  static func isCurrent(in directory: String, _ files: any FileSystem) throws -> Bool {
    guard let found = try version(in: directory, files) else { return false }
    if found > version { throw newer(found, in: directory) }
    return found == version
  }

  /// The version of a directory that an older program made; `nil` otherwise.
  static func formerVersion(in directory: String, _ files: any FileSystem) throws -> UInt32? {
    if try isCurrent(in: directory, files) { return nil }
    return try version(in: directory, files)
  }

  /// Throws when a newer program made the directory.
  static func check(in directory: String, _ files: any FileSystem) throws {
    _ = try isCurrent(in: directory, files)
  }

  private static func newer(_ version: UInt32, in directory: String) -> ImageError {
    ImageError(
      .cacheUnusable,
      """
      the cache in \(path(in: directory)) has format \(version), made by a newer version; this one \
      knows up to \(Self.version): update imgcache or use another DiskCache.Configuration.directory
      """)
  }

  /// The version in the head of a database; `nil` when there is none.
  static func version(
    in directory: String, _ files: any FileSystem
  ) throws(FileSystemFailure) -> UInt32? {
    let file: Int32
    do {
      file = try files.open(path(in: directory), forWriting: false)
    } catch  where error.isAbsent {
      return nil
    }
    defer { files.close(file) }
    guard let head = try files.readWhole(file, byteCount: 64), Array(head.prefix(16)) == magic
    else {
      return nil
    }
    return head[60..<64].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Takes over what a database of an older version has, and marks the directory.
  ///
  /// An interrupted migration is made again: entries that are there already are replaced.
  static func migrate(_ index: CacheIndex) throws {
    let (directory, files) = (index.blobs.directory, index.files)
    if try files.facts(at: path(in: directory)) != nil {
      for name in formerNames {
        // SQLite would follow a link, and block on a FIFO for ever.
        let path = "\(directory)/\(name)"
        if let facts = try files.facts(at: path), !facts.isRegular {
          throw FileSystemFailure.irregular(path)
        }
      }
      try FormerIndex.carry(from: path(in: directory), into: index)
    }
    let new = path(in: directory) + ".new"
    try files.remove(new)
    let file = try files.create(new, mode: 0o644)
    defer { files.close(file) }
    try database.span.bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
      try files.write(bytes, to: file, at: 0)
    }
    try files.rename(new, to: path(in: directory))
    for name in formerNames { try? files.remove("\(directory)/\(name)") }
  }

  /// An empty database of one page with this version.
  static var database: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    func set(_ value: UInt32, at offset: Int) {
      for index in 0..<4 {
        bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index))
      }
    }
    bytes.replaceSubrange(0..<16, with: magic)
    // Page size; versions of the format to read and write; fractions of a page.
    bytes.replaceSubrange(16..<24, with: [2, 0, 1, 1, 0, 64, 32, 32])
    set(1, at: 24)  // change counter
    set(1, at: 28)  // pages
    set(4, at: 44)  // schema format
    set(1, at: 56)  // UTF-8
    set(version, at: 60)
    set(1, at: 92)  // the change counter for which the next number is valid
    set(3_040_001, at: 96)  // SQLite's version
    bytes[100] = 0x0D  // a leaf without rows, its content at the end of the page
    bytes[105] = 2
    return bytes
  }
}
