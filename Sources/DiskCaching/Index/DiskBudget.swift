/// The division of a cache directory's limit between the files of images, folders and the index.
///
/// Pure arithmetic. A file counts as its length rounded up to blocks, as a file system allocates
/// it. A folder counts as a block. The index counts as its table, its log and the small files beside
/// them, and never less than ``minimumIndexByteCount``: so files do not have to go as soon as a
/// small index grows. Images that no limit pushes out have room of their own beside it.
struct DiskBudget: Sendable, Hashable {
  static let folderCount = 256
  /// The space that is always used: the top folders, and the index's files when almost empty.
  private static let fixedByteCount = 64 << 10
  /// Room for the table and the log of few entries.
  private static let smallIndexByteCount = 192 << 10

  let maximumByteCount: Int
  /// Whether folders and the index count; else files alone do.
  let countsOverhead: Bool
  /// Of the cache: kept and pinned images do not count, nor do their shares of folders and index.
  private let totals: IndexTotals

  init(
    maximumByteCount: Int, beside totals: IndexTotals = IndexTotals(), countsOverhead: Bool = true
  ) {
    self.maximumByteCount = maximumByteCount
    self.countsOverhead = countsOverhead
    self.totals = totals
  }

  /// The limit, with the files that do not count towards it.
  private var wholeByteCount: Int {
    let (sum, overflow) = maximumByteCount.addingReportingOverflow(totals.retainedByteCount)
    return overflow ? .max : sum
  }

  /// Bytes kept for the index even where it is smaller.
  var minimumIndexByteCount: Int {
    countsOverhead ? Self.fixedByteCount + Self.smallIndexByteCount : 0
  }

  /// Bytes that table and log may have: with what lies beside them a quarter of the limit and of
  /// retained files, or a little.
  var maximumIndexByteCount: Int {
    guard countsOverhead else { return .max }
    return max(wholeByteCount / 4 - Self.fixedByteCount, Self.smallIndexByteCount)
  }

  var maximumNegativeCount: Int {
    countsOverhead ? min(16_384, max(32, maximumByteCount / 8192)) : .max
  }

  /// Bytes that table and log take of the limit: without the share that retained images have of all
  /// entries.
  func indexByteCount(_ byteCount: Int) -> Int {
    guard countsOverhead else { return 0 }
    let entryCount = totals.images.count + totals.documents.count + totals.negativeCount
    let share = Double(totals.retainedCount) / Double(max(entryCount, totals.retainedCount, 1))
    return max(
      minimumIndexByteCount, Self.fixedByteCount + byteCount - Int(Double(byteCount) * share))
  }

  /// Bytes that the folders of so many files, less the retained ones, take of the limit: one each
  /// until all folders are there, later their growth with the number of names in them.
  func folderByteCount(fileCount: Int) -> Int {
    guard countsOverhead else { return 0 }
    let fileCount = max(0, fileCount - totals.retainedCount)
    let names = max(0, fileCount - 16 * Self.folderCount)
    return BlobStore.blockByteCount * min(fileCount, Self.folderCount) + 128 * names
  }

  /// Bytes that files, retained ones among them, and their folders may have beside the index.
  func fileRoom(indexByteCount: Int) -> Int {
    wholeByteCount - self.indexByteCount(indexByteCount)
  }

  /// Bytes of the largest file that an otherwise empty cache could keep; negative where none fits.
  var largestFileByteCount: Int {
    fileRoom(indexByteCount: 0) - folderByteCount(fileCount: 1)
  }

  var leastByteCount: Int { minimumIndexByteCount + 2 * BlobStore.blockByteCount }
}
