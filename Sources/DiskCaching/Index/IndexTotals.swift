/// The totals of an index, which limits are compared with. Every change of the ``EntryTable``
/// carries them, so that the limit is exact without a count.
struct IndexTotals: Sendable, Hashable {
  struct Files: Sendable, Hashable {
    /// The number of entries, at least as many as files.
    var count = 0
    var byteCount = 0
    /// File bytes as they count towards a limit (``BlobStore/counted(_:)``).
    var countedByteCount = 0
  }

  var images = Files()
  var documents = Files()
  var negativeCount = 0
  /// Images that no limit pushes out, kept or pinned, and their file bytes in whole blocks. A file
  /// that several of them share counts for each.
  var retainedCount = 0
  var retainedByteCount = 0

  var numbers: [Int] {
    [
      images.count, images.byteCount, documents.count, documents.byteCount, negativeCount,
      images.countedByteCount, documents.countedByteCount, retainedCount, retainedByteCount,
    ]
  }

  subscript(area: BlobArea) -> Files {
    get { area == .images ? images : documents }
    set { if area == .images { images = newValue } else { documents = newValue } }
  }

  /// Counts an entry in, or with -1 out.
  mutating func add(_ count: Int, of area: BlobArea, isNegative: Bool) {
    if isNegative { negativeCount += count } else { self[area].count += count }
  }

  /// Counts an entry that no limit pushes out in, or with -1 out; another changes nothing.
  mutating func retain(_ count: Int, _ entry: TableEntry) {
    guard entry.flags.isRetainedImage else { return }
    retainedCount += count
    retainedByteCount += count * entry.blockCount * BlobStore.blockByteCount
  }

  /// Counts file bytes in, or below zero out.
  mutating func add(byteCount: Int, in area: BlobArea) {
    self[area].byteCount += byteCount
    self[area].countedByteCount += BlobStore.counted(abs(byteCount)) * byteCount.signum()
  }
}

extension IndexTotals {
  init(_ numbers: [Int]) {
    (images.count, images.byteCount) = (numbers[0], numbers[1])
    (documents.count, documents.byteCount) = (numbers[2], numbers[3])
    negativeCount = numbers[4]
    (images.countedByteCount, documents.countedByteCount) = (numbers[5], numbers[6])
    (retainedCount, retainedByteCount) = (numbers[7], numbers[8])
  }
}
