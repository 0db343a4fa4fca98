import ImageModel
import Synchronization

/// The records of a cache, `index.records.N`: a file to which records are appended, each in place
/// of an older one. Once much of it is out of date, a new file gets the current records.
///
/// It is the truth that the ``EntryTable`` can be rebuilt from. A record is not valid before the
/// table names it, so that a writer that dies in between leaves bytes that the next one overwrites.
final class RecordLog: Sendable {
  static let namePrefix = "index.records."
  /// The bytes behind its end for which it takes space: on a full disk, records of what is removed
  /// have to fit. A few tell of a purge; each of the others follows a file that is gone.
  private static let reserve = 16 << 10
  let file: OpenFile
  private let reservedEnd = Atomic(0)
  private var files: any FileSystem { file.files }

  init(_ file: OpenFile) { self.file = file }

  static func path(in directory: String, number: UInt64) -> String {
    "\(directory)/\(namePrefix)\(number)"
  }

  static func open(
    _ path: String, in files: any FileSystem, isWritable: Bool
  ) throws(FileSystemFailure) -> RecordLog {
    RecordLog(OpenFile(try files.open(path, forWriting: isWritable), files))
  }

  static func create(
    _ path: String, in files: any FileSystem
  ) throws(FileSystemFailure) -> RecordLog {
    RecordLog(OpenFile(try files.create(path, mode: 0o644), files))
  }

  func byteCount() throws(FileSystemFailure) -> Int {
    try files.facts(of: file.descriptor).byteCount
  }

  func append(_ record: [UInt8], at offset: Int) throws(FileSystemFailure) {
    let end = offset + record.count
    if end + Self.reserve / 2 > reservedEnd.load(ordering: .relaxed) {
      reservedEnd.store(end + Self.reserve, ordering: .relaxed)
      files.reserve(file.descriptor, upTo: end + Self.reserve)
    }
    try record.span.bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
      try files.write(bytes, to: file.descriptor, at: offset)
    }
  }

  func synchronize() throws(FileSystemFailure) { try files.synchronizeData(file.descriptor) }

  /// Calls a body with bytes of the file: fewer than wanted at its end.
  func withBytes<Value>(
    at offset: Int, count: Int, _ body: (UnsafeRawBufferPointer) throws -> Value
  ) throws -> Value {
    try withUnsafeTemporaryAllocation(byteCount: count, alignment: 16) { room in
      let read = try files.read(into: room, from: file.descriptor, at: offset)
      return try body(UnsafeRawBufferPointer(rebasing: room[..<read]))
    }
  }

  /// Reads a record that the table names; `nil` when it is not what was written.
  func withRecord<Value>(
    of entry: TableEntry, _ body: (RecordHead, inout ByteReader) -> Value?
  ) throws -> Value? {
    try withBytes(at: entry.recordOffset, count: entry.recordByteCount) { bytes in
      guard let head = Self.head(of: bytes, for: entry) else { return nil }
      var reader = head.reader(of: bytes)
      return body(head, &reader)
    }
  }

  /// The bytes of a record that the table names; `nil` when it is not what was written.
  func bytes(of entry: TableEntry) throws -> [UInt8]? {
    try withBytes(at: entry.recordOffset, count: entry.recordByteCount) { bytes in
      Self.head(of: bytes, for: entry).map { _ in Array(bytes) }
    }
  }

  private static func head(of bytes: UnsafeRawBufferPointer, for entry: TableEntry) -> RecordHead? {
    guard let head = RecordHead(bytes), head.sequence == entry.sequence, head.hash == entry.hash,
      head.isIntact(bytes)
    else { return nil }
    return head
  }

  /// Calls a body for each intact record in order, passing over what is damaged.
  func forEachRecord(
    upTo end: Int, _ body: (_ offset: Int, RecordHead, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var offset = 0
    while offset < end {
      let start = offset
      // Longer than any record.
      let passed = try withBytes(at: start, count: min(1 << 20, end - start)) { bytes in
        try Self.forEachRecord(in: bytes, isLast: start + bytes.count >= end) {
          try body(start + $0, $1, $2)
        }
      }
      if passed == 0 { return }
      offset += passed
    }
  }

  /// - Returns: The number of bytes skipped: records that are cut off are left.
  private static func forEachRecord(
    in bytes: UnsafeRawBufferPointer, isLast: Bool,
    _ body: (_ offset: Int, RecordHead, UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int {
    var at = 0
    while at < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[at...])
      let head = RecordHead(rest)
      if head?.recordByteCount ?? RecordHead.byteCount > rest.count, !isLast, at > 0 { break }
      if let head, head.isIntact(rest) {
        try body(at, head, rest)
        at += head.paddedByteCount
      } else {
        at += 16
      }
    }
    return at
  }
}
