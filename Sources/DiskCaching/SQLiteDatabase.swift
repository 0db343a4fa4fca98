import CSQLite
import ImageModel
import TextEncodings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An error that SQLite reported. No other file imports SQLite.
struct SQLiteFailure: Error, CustomStringConvertible {
  /// The extended result code.
  let code: Int32
  /// SQLite's message.
  let message: String

  var description: String { message }

  private var primary: Int32 { code & 0xFF }

  /// Whether the file is not a database or its pages contradict each other.
  var isCorruption: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
  /// Whether the index is not what it should be: damaged, or lacking a table or column.
  var isDamage: Bool { isCorruption || code == SQLITE_ERROR || primary == SQLITE_FORMAT }
  /// Whether the disk has no room.
  var isFull: Bool { primary == SQLITE_FULL }
  /// Whether the file could not be opened, or not for writing.
  var isAccess: Bool {
    primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY || primary == SQLITE_PERM
  }
}

/// One connection to one database file; not shared between threads without a lock around it.
final class SQLiteDatabase {
  private var handle: OpaquePointer?

  /// How a file is opened.
  enum Access {
    /// For reading and writing; it is made where it is absent.
    case creating
    /// For reading and writing; it exists.
    case writing
    /// For reading, without changing any file.
    case reading
    /// For reading a file that has no write-ahead log, where no lock can be taken either.
    case readingUnchanged
  }

  /// Opens the file; a symbolic link in its path is refused.
  init(path: String, access: Access) throws(SQLiteFailure) {
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW
    var name = path
    switch access {
    case .creating: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    case .writing: flags |= SQLITE_OPEN_READWRITE
    case .reading: flags |= SQLITE_OPEN_READONLY
    case .readingUnchanged:
      flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      name = "file:\(Self.escaped(path))?immutable=1"
    }
    let code = sqlite3_open_v2(name, &handle, flags, nil)
    guard code == SQLITE_OK else {
      let failure = SQLiteFailure(code: code, message: String(cString: sqlite3_errmsg(handle)))
      sqlite3_close_v2(handle)
      throw failure
    }
    sqlite3_busy_handler(handle, waitForOthers, nil)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs statements without results.
  func execute(_ sql: String) throws(SQLiteFailure) {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// Compiles a statement that will be used often.
  func prepare(_ sql: String) throws(SQLiteFailure) -> SQLiteStatement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw failure }
    return SQLiteStatement(statement)
  }

  /// The first column of the first row; 0 when there is none.
  func integer(_ sql: String) throws(SQLiteFailure) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The row id of the last insertion.
  var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Rows that the last statement changed.
  var changedRows: Int { Int(sqlite3_changes(handle)) }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Moves what the write-ahead log holds into the database and empties the log, unless a reader
  /// still needs it after some milliseconds.
  func truncateLog() {
    sqlite3_busy_handler(handle, waitBriefly, nil)
    sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    sqlite3_busy_handler(handle, waitForOthers, nil)
  }

  /// A path as part of a URI.
  private static func escaped(_ path: String) -> String {
    PercentEncoding.encoded(Array(path.utf8)[...]) {
      PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: "/")
    }
  }

  private var failure: SQLiteFailure {
    SQLiteFailure(
      code: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
  }
}

/// A compiled statement; its columns are counted from 0, its parameters from 1.
final class SQLiteStatement {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { sqlite3_finalize(handle) }

  /// Advances to the next row.
  ///
  /// - Returns: Whether there is one; if not, the statement can be used again.
  func step() throws(SQLiteFailure) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    let message =
      code == SQLITE_DONE ? "" : String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
    sqlite3_reset(handle)
    if code == SQLITE_DONE { return false }
    throw SQLiteFailure(code: code, message: message)
  }

  /// Runs a statement without rows.
  func run() throws(SQLiteFailure) {
    while try step() {}
  }

  /// Releases the current row and its read transaction.
  func reset() { sqlite3_reset(handle) }

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  func bind(_ index: Int32, _ value: Int64?) {
    if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
  }

  func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

  func bind(_ index: Int32, _ value: String) {
    var value = value
    value.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) {
        _ = sqlite3_bind_text(handle, index, $0.baseAddress, Int32($0.count), copied)
      }
      if text.count == 0 { sqlite3_bind_text(handle, index, "", 0, copied) }
    }
  }

  func bind(_ index: Int32, _ value: String?) {
    if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
  }

  func bind(_ index: Int32, _ value: BlobHash?) {
    guard let value else {
      sqlite3_bind_null(handle, index)
      return
    }
    _ = value.withBytes { sqlite3_bind_blob(handle, index, $0.baseAddress, 32, copied) }
  }

  func bind(_ index: Int32, _ value: [UInt8]) {
    value.withUnsafeBytes { bytes in
      if bytes.count == 0 {
        _ = sqlite3_bind_null(handle, index)
      } else {
        _ = sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), copied)
      }
    }
  }

  /// Binds the columns of another statement's row, in their order.
  func bindRow(of other: SQLiteStatement, columns: Int32) {
    for column in 0..<columns {
      sqlite3_bind_value(handle, column + 1, sqlite3_column_value(other.handle, column))
    }
  }

  /// Columns of a row.
  var columnCount: Int { Int(sqlite3_column_count(handle)) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  func text(_ column: Int32) -> String {
    guard let text = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
  }

  /// Whether a column holds exactly this text; makes no copy of it.
  func column(_ column: Int32, is other: String) -> Bool {
    guard let text = sqlite3_column_text(handle, column) else { return other.isEmpty }
    let count = Int(sqlite3_column_bytes(handle, column))
    return UnsafeBufferPointer(start: text, count: count).elementsEqual(other.utf8)
  }

  func blob(_ column: Int32) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
    return [UInt8](
      UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
  }

  func hash(_ column: Int32) -> BlobHash? {
    guard let bytes = sqlite3_column_blob(handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return BlobHash(bytes: UnsafeRawBufferPointer(start: bytes, count: count))
  }
}

/// Makes SQLite copy bound values.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// Waits for a reader, five milliseconds in all.
private func waitBriefly(_ context: UnsafeMutableRawPointer?, _ attempts: Int32) -> Int32 {
  guard attempts < 100 else { return 0 }
  usleep(50)
  return 1
}

/// Waits for another connection's lock: a commit takes some 50 µs, so looks often; ten seconds in
/// all.
private func waitForOthers(_ context: UnsafeMutableRawPointer?, _ attempts: Int32) -> Int32 {
  guard attempts < 20_000 else { return 0 }
  usleep(attempts < 20 ? 50 : 500)
  return 1
}
