/// The totals of the index, which limits are compared with.
///
/// The row with the highest number carries them. A store writes the page of that row anyway, and
/// each additional page of a transaction costs as much as a small write of a file (see Decisions).
/// An index without rows holds nothing.
struct IndexTotals: Equatable {
  var imageCount = 0
  var imageByteCount = 0
  var documentCount = 0
  var documentByteCount = 0
  /// Entries without bytes.
  var negativeCount = 0
  /// File bytes as they count towards a limit (``DiskBudget/counted(_:)``).
  var countedImageByteCount = 0
  var countedDocumentByteCount = 0
  /// Whether an older program, which does not know the counted bytes, wrote the last row.
  var isIncomplete = false

  /// The columns, in the order of ``init(_:)`` and ``bind(to:from:)``.
  static let columns =
    "pictures, picture_bytes, documents, document_bytes, negatives, picture_room, document_room"
  /// Reads the totals as they are committed.
  static let query = "SELECT \(columns) FROM entry ORDER BY id DESC LIMIT 1"
  /// Writes given totals, where there is a row.
  static let update = """
    UPDATE entry SET (\(columns)) = (?1, ?2, ?3, ?4, ?5, ?6, ?7) WHERE id = (SELECT max(id) FROM entry)
    """
  /// Recounts everything.
  static let recount = """
    UPDATE entry SET (\(columns)) = (
      (SELECT count(*) FROM entry WHERE area = 0 AND sha IS NOT NULL),
      (SELECT coalesce(sum(byte_count), 0) FROM
        (SELECT DISTINCT sha, byte_count FROM entry WHERE area = 0 AND sha IS NOT NULL)),
      (SELECT count(*) FROM entry WHERE area = 1 AND sha IS NOT NULL),
      (SELECT coalesce(sum(byte_count), 0) FROM
        (SELECT DISTINCT sha, byte_count FROM entry WHERE area = 1 AND sha IS NOT NULL)),
      (SELECT count(*) FROM entry WHERE sha IS NULL),
      (SELECT coalesce(sum(\(room)), 0) FROM
        (SELECT DISTINCT sha, byte_count FROM entry WHERE area = 0 AND sha IS NOT NULL)),
      (SELECT coalesce(sum(\(room)), 0) FROM
        (SELECT DISTINCT sha, byte_count FROM entry WHERE area = 1 AND sha IS NOT NULL)))
    WHERE id = (SELECT max(id) FROM entry)
    """

  /// ``DiskBudget/counted(_:)`` of a row's bytes.
  private static let room =
    "(byte_count + \(DiskBudget.blockByteCount - 1)) / \(DiskBudget.blockByteCount) * \(DiskBudget.blockByteCount)"

  /// Nothing.
  init() {}

  /// Runs ``query``.
  init(_ query: SQLiteStatement) throws(SQLiteFailure) {
    guard try query.step() else { return }
    imageCount = Int(query.integer(0))
    imageByteCount = Int(query.integer(1))
    documentCount = Int(query.integer(2))
    documentByteCount = Int(query.integer(3))
    negativeCount = Int(query.integer(4))
    countedImageByteCount = Int(query.integer(5))
    countedDocumentByteCount = Int(query.integer(6))
    isIncomplete = query.isNull(5)
    query.reset()
  }

  /// Binds the columns, beginning at a parameter.
  func bind(to statement: SQLiteStatement, from first: Int32) {
    statement.bind(first, Int64(imageCount))
    statement.bind(first + 1, Int64(imageByteCount))
    statement.bind(first + 2, Int64(documentCount))
    statement.bind(first + 3, Int64(documentByteCount))
    statement.bind(first + 4, Int64(negativeCount))
    statement.bind(first + 5, Int64(countedImageByteCount))
    statement.bind(first + 6, Int64(countedDocumentByteCount))
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

  /// Counts file bytes in, or below zero out.
  mutating func add(byteCount: Int, in area: BlobArea) {
    let counted = DiskBudget.counted(abs(byteCount)) * byteCount.signum()
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
