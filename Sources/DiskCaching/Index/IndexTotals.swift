/// The totals of an index, which limits are compared with. Every change of the ``EntryTable``
/// carries them, so that the limit is exact without a count.
struct IndexTotals: Sendable, Hashable {
  var imageCount = 0
  var imageByteCount = 0
  var documentCount = 0
  var documentByteCount = 0
  /// Entries without bytes.
  var negativeCount = 0
  /// File bytes as they count towards a limit (``DiskBudget/counted(_:)``).
  var countedImageByteCount = 0
  var countedDocumentByteCount = 0
  /// Images that no limit pushes out, kept or pinned, and their file bytes in whole blocks. A file
  /// that several of them share counts for each.
  var retainedCount = 0
  var retainedByteCount = 0

  /// Nothing.
  init() {}

  /// Takes what ``numbers`` returned.
  init(_ numbers: [Int]) {
    imageCount = numbers[0]
    imageByteCount = numbers[1]
    documentCount = numbers[2]
    documentByteCount = numbers[3]
    negativeCount = numbers[4]
    countedImageByteCount = numbers[5]
    countedDocumentByteCount = numbers[6]
    retainedCount = numbers[7]
    retainedByteCount = numbers[8]
  }

  var numbers: [Int] {
    [
      imageCount, imageByteCount, documentCount, documentByteCount, negativeCount,
      countedImageByteCount, countedDocumentByteCount, retainedCount, retainedByteCount,
    ]
  }

  /// Entries with bytes in an area; at least as many as it has files.
  func count(of area: BlobArea) -> Int {
    switch area {
    case .images: imageCount
    case .documents: documentCount
    }
  }

  /// File bytes of an area as they count towards its limit.
  func countedByteCount(of area: BlobArea) -> Int {
    switch area {
    case .images: countedImageByteCount
    case .documents: countedDocumentByteCount
    }
  }

  /// Counts an entry in, or with -1 out.
  mutating func add(_ count: Int, of area: BlobArea, isNegative: Bool) {
    switch (isNegative, area) {
    case (true, _): negativeCount += count
    case (false, .images): imageCount += count
    case (false, .documents): documentCount += count
    }
  }

  /// Counts an entry that no limit pushes out in, or with -1 out; another changes nothing.
  mutating func retain(_ count: Int, _ entry: TableEntry) {
    guard entry.flags.isRetainedImage else { return }
    retainedCount += count
    retainedByteCount += count * entry.blockCount * BlobStore.blockByteCount
  }

  /// Counts file bytes in, or below zero out.
  mutating func add(byteCount: Int, in area: BlobArea) {
    let counted = BlobStore.counted(abs(byteCount)) * byteCount.signum()
    switch area {
    case .images:
      imageByteCount += byteCount
      countedImageByteCount += counted
    case .documents:
      documentByteCount += byteCount
      countedDocumentByteCount += counted
    }
  }
}
