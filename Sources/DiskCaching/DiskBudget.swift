/// The division of a cache directory's limit between files, folders and the index.
///
/// Pure arithmetic. A file counts as its length rounded up to blocks, as a file system allocates
/// it. A folder counts as a block. The index counts as its database, the largest size of its
/// write-ahead log and the small files beside it, and never less than ``minimumIndexByteCount``: so
/// files do not have to go as soon as a small index grows.
struct DiskBudget: Sendable, Hashable {
  /// Bytes of a block, the unit that files count in.
  static let blockByteCount = 4096
  /// Folders that blobs are spread over.
  static let folderCount = 256
  /// What is always there: shared memory of the log and ``IndexGenerations``, and the few top
  /// folders.
  private static let fixedByteCount = 128 << 10
  /// Room for a database with few entries.
  private static let smallDatabaseByteCount = 64 << 10

  /// The limit.
  let maximumByteCount: Int
  /// Whether folders and the index count; else files alone do.
  var countsOverhead = true

  /// Bytes that a file takes of the limit.
  static func counted(_ byteCount: Int) -> Int {
    let (padded, overflow) = byteCount.addingReportingOverflow(blockByteCount - 1)
    return overflow ? .max : padded / blockByteCount * blockByteCount
  }

  /// Bytes of the write-ahead log beyond which it is written back into the database.
  var logByteCount: Int { min(8 << 20, max(64 << 10, maximumByteCount / 16)) }

  /// Bytes kept for the index even where it is smaller.
  var minimumIndexByteCount: Int {
    countsOverhead ? Self.fixedByteCount + logByteCount + Self.smallDatabaseByteCount : 0
  }

  /// Bytes that the database may have: with what lies beside it a quarter of the limit, or a
  /// little.
  var maximumDatabaseByteCount: Int {
    guard countsOverhead else { return .max }
    let share = maximumByteCount / 4 - Self.fixedByteCount - logByteCount
    return max(share, 3 * Self.smallDatabaseByteCount)
  }

  /// Negative entries that may be kept.
  var maximumNegativeCount: Int {
    countsOverhead ? min(16_384, max(32, maximumByteCount / 8192)) : .max
  }

  /// Evicted entries whose accesses may be remembered.
  var maximumGhostCount: Int {
    let maximum = IndexWriter.maximumGhostCount
    return countsOverhead ? min(maximum, max(64, maximumByteCount / 4096)) : maximum
  }

  /// Bytes that the index takes of the limit.
  ///
  /// - Parameter databaseByteCount: Pages of the database, used or free.
  func indexByteCount(databaseByteCount: Int) -> Int {
    guard countsOverhead else { return 0 }
    return max(minimumIndexByteCount, Self.fixedByteCount + logByteCount + databaseByteCount)
  }

  /// Bytes that the folders of so many files take of the limit: one each until all folders are
  /// there, later their growth with the number of names in them.
  func folderByteCount(fileCount: Int) -> Int {
    guard countsOverhead else { return 0 }
    let names = max(0, fileCount - 16 * Self.folderCount)
    return Self.blockByteCount * min(fileCount, Self.folderCount) + 128 * names
  }

  /// Bytes that files and their folders may have beside the index.
  func fileRoom(databaseByteCount: Int) -> Int {
    maximumByteCount - indexByteCount(databaseByteCount: databaseByteCount)
  }

  /// Bytes of the largest file that an otherwise empty cache could keep; negative where none fits.
  var largestFileByteCount: Int {
    fileRoom(databaseByteCount: 0) - folderByteCount(fileCount: 1)
  }

  /// The least limit that leaves room for a file of one block.
  var leastByteCount: Int { minimumIndexByteCount + 2 * Self.blockByteCount }
}
