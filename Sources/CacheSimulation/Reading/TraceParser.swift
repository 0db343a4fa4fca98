import ImagePipeline

/// Cuts what is read into lines or records and these into requests.
final class TraceParser {
  private let name: String
  private var format: TraceFormat?
  /// What the last piece left over: part of a line, or of a record.
  private var rest: [UInt8] = []
  private var lineNumber = 0
  /// No line of any format comes near it; a file without line ends is no trace.
  private static let maximumLineLength = 1 << 20
  private static let recordLength = 24

  init(name: String, format: TraceFormat?) {
    self.name = name
    self.format = format
  }

  /// Takes the next piece.
  func feed(_ bytes: UnsafeRawBufferPointer, _ builder: inout TraceBuilder) throws {
    if bytes.isEmpty { return }
    if rest.isEmpty {
      let used = try consume(bytes, &builder)
      rest.append(contentsOf: bytes[used...])
    } else {
      rest.append(contentsOf: bytes)
      let used = try rest.withUnsafeBytes { try consume($0, &builder) }
      rest.removeFirst(used)
    }
  }

  /// Takes what is left; a last line may lack its end.
  func finish(_ builder: inout TraceBuilder) throws {
    if rest.isEmpty { return }
    let format = format ?? TraceFormat(firstLine: rest)
    self.format = format
    guard format != .oracleGeneral else {
      if rest.count % Self.recordLength != 0 {
        throw ImageError(
          .truncated, "\(name) ends in the middle of a record of \(Self.recordLength) bytes")
      }
      _ = try rest.withUnsafeBytes { try consume($0, &builder) }
      return
    }
    rest.append(UInt8(ascii: "\n"))
    _ = try rest.withUnsafeBytes { try consume($0, &builder) }
  }

  private func consume(
    _ bytes: UnsafeRawBufferPointer, _ builder: inout TraceBuilder
  ) throws -> Int {
    if format == nil {
      let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
      // Binary records may have no line end for long; text has one soon.
      guard let end = end ?? (bytes.count > 4_096 ? bytes.count : nil) else { return 0 }
      format = TraceFormat(firstLine: bytes[..<end])
    }
    if format == .oracleGeneral { return consumeRecords(bytes, &builder) }
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      lineNumber += 1
      try read(line: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), &builder)
      start = end + 1
    }
    if bytes.count - start > Self.maximumLineLength {
      throw wrong("is longer than a mebibyte")
    }
    return start
  }

  private func consumeRecords(
    _ bytes: UnsafeRawBufferPointer, _ builder: inout TraceBuilder
  ) -> Int {
    let count = bytes.count / Self.recordLength
    for index in 0..<count {
      let at = index * Self.recordLength
      let key = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt64.self))
      let size = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
      builder.add(number: key, size: Int(size))
    }
    return count * Self.recordLength
  }

  private func read(line: UnsafeRawBufferPointer, _ builder: inout TraceBuilder) throws {
    let fields = TraceFields(line, isSpaced: format != .csv)
    if fields.count == 0 { return }
    if format == .arc {
      guard let first = fields.number(0), let count = fields.count > 1 ? fields.number(1) : 1,
        count <= 1 << 12
      else { throw wrong("has no 'first block, number of blocks (4096 at most)'") }
      for offset in 0..<count { builder.add(number: first &+ offset, size: 1) }
      return
    }
    let keyAt = fields.count == 1 ? 0 : 1
    guard fields.count > 2 else {
      // A lone line of words above numbers is the names of the columns.
      if lineNumber == 1, fields.isHeader { return }
      builder.add(text: fields[keyAt], size: 1)
      return
    }
    guard let size = fields.number(2), size < 1 << 62 else {
      if lineNumber == 1 { return }
      throw wrong("has no size in bytes as its third field")
    }
    builder.add(text: fields[keyAt], size: Int(size))
  }

  private func wrong(_ what: String) -> ImageError {
    ImageError(.corrupt, "\(name): line \(lineNumber) \(what)")
  }
}
