import ImageModel

/// The file `version` of a directory: the number of its format, in decimal digits.
///
/// A directory of another format is refused and left as it is. A file that is missing, or damaged
/// so that it has no number, is written again by the next change.
enum FormatFile {
  /// The number of this format: of the directory, the records and the table.
  static let version = 7

  /// Formats 1 through 5 had a file of this name in place of `version`.
  private static let formerName = "index.sqlite"
  private static let maximumByteCount = 32

  static func path(in directory: String) -> String { directory + "/version" }

  /// Whether the directory is marked as one of this format; one of another is `cacheUnusable`.
  static func isCurrent(in directory: String, _ files: any FileSystem) throws -> Bool {
    if let found = try number(at: path(in: directory), files) {
      guard found == version else { throw refusal(of: directory, "format \(found)") }
      return true
    }
    if try files.facts(at: "\(directory)/\(formerName)") != nil {
      throw refusal(of: directory, "an older format")
    }
    return false
  }

  private static func refusal(of directory: String, _ format: String) -> ImageError {
    ImageError(
      .cacheUnusable,
      "the cache in \(directory) has \(format), and this version of imgcache reads format \(version) "
        + "alone: remove the directory, or use another DiskCache.Configuration.directory")
  }

  private static func number(
    at path: String, _ files: any FileSystem
  ) throws(FileSystemFailure) -> Int? {
    guard let bytes = try files.readIfPresent(path, upTo: maximumByteCount) else { return nil }
    return Int(String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" })
  }

  /// Marks a directory; under the lock of its index.
  static func write(in blobs: BlobStore) throws(FileSystemFailure) {
    try blobs.replace(path(in: blobs.directory), with: Array("\(version)\n".utf8))
  }

  // MARK: The limit

  /// The limit that the cache was made with, in the file `limit`; `nil` where there is none.
  static func limit(
    in directory: String, _ files: any FileSystem
  ) throws(FileSystemFailure) -> Int? {
    try number(at: directory + "/limit", files)
  }

  /// Writes the limit that a cache is made with; under the lock of its index.
  static func write(limit: Int, in blobs: BlobStore) throws(FileSystemFailure) {
    try blobs.replace(blobs.directory + "/limit", with: Array("\(limit)\n".utf8))
  }
}
