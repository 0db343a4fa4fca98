import HTTPCaching
import ImageModel

enum RecordKind: UInt8, Sendable {
  case entry = 1
  /// The entry with the number ``RecordHead/previous`` is gone.
  case removal
  case state
  /// A group, and whether it is pinned.
  case group
}

/// The fixed part of a record. All numbers are little-endian. A record begins at a multiple of 16
/// bytes, and a CRC-32C covers it from its kind on.
struct RecordHead: Sendable, Equatable {
  static let magic: UInt32 = 0x5243_4D49
  static let byteCount = 48
  /// The longest record, by the width of its field in ``TableEntry``.
  static let maximumByteCount = 0xFFFF << 4

  var kind = RecordKind.entry
  /// Bytes of the record, without padding.
  var recordByteCount = 0
  var sequence: UInt64 = 0
  var hash: UInt64 = 0
  /// The number of the record that this one replaces or removes; 0 for none.
  var previous: UInt64 = 0
  var born: UInt64 = 0

  var paddedByteCount: Int { (recordByteCount + 15) & ~15 }

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount else { return nil }
    var reader = ByteReader(bytes)
    guard reader.integer(UInt32.self) == Self.magic else { return nil }
    recordByteCount = Int(reader.integer(UInt32.self))
    _ = reader.integer(UInt32.self)
    guard let kind = RecordKind(rawValue: UInt8(truncatingIfNeeded: reader.integer(UInt32.self))),
      (Self.byteCount...Self.maximumByteCount).contains(recordByteCount)
    else { return nil }
    self.kind = kind
    sequence = reader.integer(UInt64.self)
    hash = reader.integer(UInt64.self)
    previous = reader.integer(UInt64.self)
    born = reader.integer(UInt64.self)
  }

  init() {}

  func isIntact(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= recordByteCount else { return false }
    let sum = bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self).littleEndian
    return CRC32C.checksum(of: .init(rebasing: bytes[12..<recordByteCount])) == sum
  }

  func reader(of bytes: UnsafeRawBufferPointer) -> ByteReader {
    ByteReader(UnsafeRawBufferPointer(rebasing: bytes[Self.byteCount..<recordByteCount]))
  }

  func record(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(Self.magic)
    writer.integer(UInt32(0))
    writer.integer(UInt32(0))
    writer.integer(UInt32(kind.rawValue))
    writer.integer(sequence)
    writer.integer(hash)
    writer.integer(previous)
    writer.integer(born)
    body(&writer)
    let count = writer.bytes.count
    writer.set(UInt32(clamping: count), at: 4)
    let sum = writer.bytes.withUnsafeBytes { CRC32C.checksum(of: .init(rebasing: $0[12...])) }
    writer.set(sum, at: 8)
    while writer.bytes.count & 15 != 0 { writer.bytes.append(0) }
    return writer.bytes
  }
}

// MARK: Bodies

extension CacheRecord {
  func write(to writer: inout ByteWriter, boot: Int64) {
    writer.integer(UInt8(key.kind.rawValue))
    writer.integer(
      UInt8(
        (isAlwaysStale ? 1 : 0) | (originMark.isEmpty ? 0 : 2) | (generation == nil ? 0 : 4)
          | (sharedTags.isEmpty ? 0 : 8) | (sharedAt == nil ? 0 : 16)
          | (effectiveURL == nil ? 0 : 32)))
    writer.integer(UInt16(clamping: status))
    writer.integer(content?.checksum ?? 0)
    writer.integer(boot)
    writer.integer(Int64(content?.byteCount ?? -1))
    content?.hash.withBytes { writer.append($0) }
    writer.integer(UInt32(clamping: size?.width ?? 0))
    writer.integer(UInt32(clamping: size?.height ?? 0))
    writer.integer(UInt32(clamping: frameCount))
    writer.integer(dominantColor.map { $0 & 0xFF_FFFF | 1 << 31 } ?? 0)
    for date in [requestTime, responseTime, fetchedAt] { writer.integer(date.microseconds) }
    writer.integer(expires?.microseconds ?? .max)
    writer.integer(lastAccess.microseconds)
    writer.text(key.name)
    writer.text(key.recipe)
    writer.text(headers.text)
    writer.text(format?.rawValue ?? "")
    writer.text(failure?.rawValue ?? "")
    writer.integer(UInt32(clamping: thumbHash.count))
    thumbHash.withUnsafeBytes { writer.append($0) }
    writer.integer(UInt32(clamping: groups.count))
    for group in groups.sorted() { writer.text(group) }
    if !originMark.isEmpty {
      writer.integer(UInt32(clamping: originMark.count))
      originMark.withUnsafeBytes { writer.append($0) }
    }
    if let generation { writer.integer(generation.number) }
    if !sharedTags.isEmpty { writer.text(sharedTags.sorted().joined(separator: ",")) }
    if let sharedAt { writer.integer(sharedAt.microseconds) }
    if let effectiveURL { writer.text(effectiveURL) }
  }

  /// Reads a record's body, and the boot in which its bytes were written; `nil` for nonsense.
  static func read(_ reader: inout ByteReader) -> (record: CacheRecord, boot: Int64)? {
    // The key comes behind the numbers.
    var record = CacheRecord(key: .document(url: ""), at: Date(microseconds: 0))
    let kind = Int64(reader.integer(UInt8.self))
    let flags = reader.integer(UInt8.self)
    record.isAlwaysStale = flags & 1 != 0
    record.status = Int(reader.integer(UInt16.self))
    let checksum = reader.integer(UInt32.self)
    let boot = reader.integer(Int64.self)
    let byteCount = reader.integer(Int64.self)
    if byteCount >= 0 {
      guard TableEntry.byteCounts.contains(byteCount), let hash = BlobHash(bytes: reader.bytes(32))
      else { return nil }
      record.content = CacheContent(hash: hash, byteCount: Int(byteCount), checksum: checksum)
    }
    let (width, height) = (Int(reader.integer(UInt32.self)), Int(reader.integer(UInt32.self)))
    let sides = 1...1 << 30
    if sides.contains(width), sides.contains(height) {
      record.size = PixelSize(width: width, height: height)
    }
    record.frameCount = Int(reader.integer(UInt32.self))
    let color = reader.integer(UInt32.self)
    if color != 0 { record.dominantColor = color & 0xFF_FFFF }
    record.requestTime = reader.date()
    record.responseTime = reader.date()
    record.fetchedAt = reader.date()
    let expires = reader.integer(Int64.self)
    if expires != .max { record.expires = Date(microseconds: expires) }
    record.lastAccess = reader.date()
    guard let key = CacheKey(kind: kind, name: reader.text(), recipe: reader.text()) else {
      return nil
    }
    record.key = key
    record.headers = HeaderText(text: reader.text())
    let format = reader.text()
    if !format.isEmpty { record.format = ImageFormat(rawValue: format) }
    let failure = reader.text()
    if !failure.isEmpty { record.failure = ImageError.Code(rawValue: failure) }
    record.thumbHash = Array(reader.bytes(Int(reader.integer(UInt32.self))))
    for _ in 0..<reader.integer(UInt32.self) {
      if reader.isOverrun { break }
      record.groups.insert(reader.text())
    }
    if flags & 2 != 0 { record.originMark = Array(reader.bytes(Int(reader.integer(UInt32.self)))) }
    if flags & 4 != 0 { record.generation = TierGeneration(number: reader.integer(UInt64.self)) }
    if flags & 8 != 0 {
      record.sharedTags = Set(reader.text().split(separator: ",").map(String.init))
    }
    if flags & 16 != 0 { record.sharedAt = reader.date() }
    if flags & 32 != 0 { record.effectiveURL = reader.text() }
    return reader.isOverrun ? nil : (record, boot)
  }
}

/// A record that is found by its name alone.
protocol NamedRecord: Sendable, Equatable {
  static var kind: RecordKind { get }
  static var flag: TableEntry.Flags { get }
  var name: String { get }
  init?(_ reader: inout ByteReader)
  func write(to writer: inout ByteWriter)
}

extension NamedRecord {
  /// The hash by which it is found; no key has one of these kinds.
  static func hash(of name: String) -> UInt64 {
    CacheKey.hash(kind: kind == .state ? 16 : 17, name: name)
  }
}

struct StateRecord: NamedRecord {
  static let kind = RecordKind.state
  static let flag = TableEntry.Flags.isState

  var name: String
  var value: String

  func write(to writer: inout ByteWriter) {
    writer.text(name)
    writer.text(value)
  }

  init(name: String, value: String) { (self.name, self.value) = (name, value) }

  init?(_ reader: inout ByteReader) {
    (name, value) = (reader.text(), reader.text())
    if reader.isOverrun { return nil }
  }
}

struct GroupRecord: NamedRecord {
  static let kind = RecordKind.group
  static let flag = TableEntry.Flags.isGroup

  var name: String
  /// Its entries are not evicted, and spared by removals by age.
  var isPinned = false
  /// Its entries are not evicted: they belong to an archive.
  var isKept = false

  func write(to writer: inout ByteWriter) {
    writer.text(name)
    writer.integer(UInt8((isPinned ? 1 : 0) | (isKept ? 2 : 0)))
    writer.integer(Int64(-1))  // Not used.
  }

  init(name: String) { self.name = name }

  init?(_ reader: inout ByteReader) {
    name = reader.text()
    let bits = reader.integer(UInt8.self)
    (isPinned, isKept) = (bits & 1 != 0, bits & 2 != 0)
    _ = reader.integer(Int64.self)
    if reader.isOverrun { return nil }
  }

  var retention: TableEntry.Flags {
    (isPinned ? .isPinned : TableEntry.Flags()).union(isKept ? .isKept : [])
  }

  static func bit(of name: String) -> UInt8 { 1 << UInt8(hash(of: name) >> 61) }
}

// MARK: Bytes

package struct ByteWriter {
  package var bytes: [UInt8] = []

  package init() { bytes.reserveCapacity(1024) }

  package mutating func integer(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  package mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

  /// Writes a text behind the number of its bytes.
  package mutating func text(_ text: String) {
    var text = text
    text.withUTF8 {
      integer(UInt32(clamping: $0.count))
      bytes.append(contentsOf: $0)
    }
  }

  package mutating func set(_ value: UInt32, at offset: Int) {
    withUnsafeBytes(of: value.littleEndian) {
      for (index, byte) in $0.enumerated() { bytes[offset + index] = byte }
    }
  }
}

/// Reads numbers and texts, and past the end zeros.
package struct ByteReader {
  private let source: UnsafeRawBufferPointer
  package private(set) var offset = 0
  /// Whether more was read than there is.
  package private(set) var isOverrun = false

  package init(_ source: UnsafeRawBufferPointer) { self.source = source }

  package mutating func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value {
    let size = MemoryLayout<Value>.size
    guard source.count - offset >= size else {
      isOverrun = true
      return 0
    }
    defer { offset += size }
    return Value(littleEndian: source.loadUnaligned(fromByteOffset: offset, as: type))
  }

  mutating func date() -> Date { Date(microseconds: integer(Int64.self)) }

  package mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    guard count >= 0, source.count - offset >= count else {
      isOverrun = true
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    defer { offset += count }
    return UnsafeRawBufferPointer(rebasing: source[offset..<offset + count])
  }

  package mutating func text() -> String {
    String(decoding: bytes(Int(integer(UInt32.self))), as: UTF8.self)
  }
}
