/// How much the index holds: what a limit is compared with.
///
/// The row with the highest number carries them. A store writes the page of that row anyway, and each page more of a
/// transaction costs as much as a small write of a file (see Decisions). An index without rows holds nothing.
struct IndexTotals: Equatable {
  var pictureCount = 0
  var pictureByteCount = 0
  var documentCount = 0
  var documentByteCount = 0
  /// Entries without bytes.
  var negativeCount = 0

  /// The columns, in the order of ``init(_:)`` and ``bind(to:from:)``.
  static let columns = "pictures, picture_bytes, documents, document_bytes, negatives"
  /// Reads the totals as they are committed.
  static let query = "SELECT \(columns) FROM entry ORDER BY id DESC LIMIT 1"
  /// Writes given totals down, where there is a row.
  static let update = """
    UPDATE entry SET (\(columns)) = (?1, ?2, ?3, ?4, ?5) WHERE id = (SELECT max(id) FROM entry)
    """
  /// Counts everything anew.
  static let recount = """
    UPDATE entry SET (\(columns)) = (
      (SELECT count(*) FROM entry WHERE area = 0 AND sha IS NOT NULL),
      (SELECT coalesce(sum(byte_count), 0) FROM
        (SELECT DISTINCT sha, byte_count FROM entry WHERE area = 0 AND sha IS NOT NULL)),
      (SELECT count(*) FROM entry WHERE area = 1 AND sha IS NOT NULL),
      (SELECT coalesce(sum(byte_count), 0) FROM
        (SELECT DISTINCT sha, byte_count FROM entry WHERE area = 1 AND sha IS NOT NULL)),
      (SELECT count(*) FROM entry WHERE sha IS NULL))
    WHERE id = (SELECT max(id) FROM entry)
    """

  /// Nothing.
  init() {}

  /// Runs ``query``.
  init(_ query: SQLiteStatement) throws(SQLiteFailure) {
    guard try query.step() else { return }
    pictureCount = Int(query.integer(0))
    pictureByteCount = Int(query.integer(1))
    documentCount = Int(query.integer(2))
    documentByteCount = Int(query.integer(3))
    negativeCount = Int(query.integer(4))
    query.reset()
  }

  /// Binds the columns, beginning at a parameter.
  func bind(to statement: SQLiteStatement, from first: Int32) {
    statement.bind(first, Int64(pictureCount))
    statement.bind(first + 1, Int64(pictureByteCount))
    statement.bind(first + 2, Int64(documentCount))
    statement.bind(first + 3, Int64(documentByteCount))
    statement.bind(first + 4, Int64(negativeCount))
  }

  /// File bytes of an area.
  func byteCount(of area: BlobArea) -> Int {
    switch area {
    case .pictures: pictureByteCount
    case .documents: documentByteCount
    }
  }

  /// Counts an entry in, or with -1 out.
  mutating func add(_ count: Int, of area: BlobArea, isNegative: Bool) {
    switch (isNegative, area) {
    case (true, _): negativeCount += count
    case (false, .pictures): pictureCount += count
    case (false, .documents): documentCount += count
    }
  }

  /// Counts file bytes in, or below zero out.
  mutating func add(byteCount: Int, in area: BlobArea) {
    switch area {
    case .pictures: pictureByteCount += byteCount
    case .documents: documentByteCount += byteCount
    }
  }
}
