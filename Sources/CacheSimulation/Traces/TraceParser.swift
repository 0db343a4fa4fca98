import ImageCodecs
import ImageModel

/// Splits bytes into lines or records, and these into requests.
final class TraceParser {
  private let name: String
  private var format: TraceFormat?
  /// Whether the caller gave the format.
  private let isGiven: Bool
  private var log = LogTally()
  /// The rest of the last piece: part of a line, or of a record.
  private var rest: [UInt8] = []
  private var lineNumber = 0
  private var columns: TraceColumns?
  /// Longer than a line of any format; a file without line breaks is not a trace.
  private static let maximumLineLength = 1 << 20
  private static let recordLength = 24

  /// The format is the given one, or else that of the file's name, or of its first bytes.
  init(name: String, format: TraceFormat?, named: TraceFormat? = nil) {
    self.name = name
    self.format = format ?? named
    isGiven = format != nil
  }

  func feed(_ bytes: UnsafeRawBufferPointer, _ builder: inout TraceBuilder) throws(ImageError) {
    if bytes.isEmpty { return }
    if rest.isEmpty {
      let used = try consume(bytes, &builder)
      rest.append(contentsOf: bytes[used...])
    } else {
      rest.append(contentsOf: bytes)
      let used = try consumeRest(&builder)
      rest.removeFirst(used)
    }
  }

  func finish(_ builder: inout TraceBuilder) throws(ImageError) {
    if rest.isEmpty { return try finishLog(&builder) }
    if format == nil { format = try guess(rest) }
    guard format != .oracleGeneral else {
      if rest.count % Self.recordLength != 0 {
        throw ImageError(
          .truncated, "\(name) ends in the middle of a record of \(Self.recordLength) bytes")
      }
      _ = try consumeRest(&builder)
      return
    }
    rest.append(UInt8(ascii: "\n"))
    _ = try consumeRest(&builder)
    try finishLog(&builder)
  }

  private func finishLog(_ builder: inout TraceBuilder) throws(ImageError) {
    guard format == .log else { return }
    if let refusal = log.refusal { throw ImageError(.corrupt, "\(name): \(refusal)") }
    builder.log = log
  }

  private func consumeRest(_ builder: inout TraceBuilder) throws(ImageError) -> Int {
    let rest = rest
    return try rest.span.bytes.withUnsafeBytes { bytes throws(ImageError) in
      try consume(bytes, &builder)
    }
  }

  private func consume(
    _ bytes: UnsafeRawBufferPointer, _ builder: inout TraceBuilder
  ) throws(ImageError) -> Int {
    if format == nil {
      // A line break alone does not make it text: it may be a byte of a number. ``finish(_:)``
      // judges shorter ones.
      if bytes.count < TraceFormat.tellingLength { return 0 }
      format = try guess(bytes[..<TraceFormat.tellingLength])
    }
    if format == .oracleGeneral { return try consumeRecords(bytes, &builder) }
    var start = 0
    while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
      lineNumber += 1
      try read(line: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), &builder)
      start = end + 1
    }
    if bytes.count - start > Self.maximumLineLength {
      lineNumber += 1
      throw wrong("is longer than a mebibyte")
    }
    return start
  }

  /// Returns the format that the first bytes indicate.
  ///
  /// - Throws: ``ImageError`` with code `corrupt` for an image, and for bytes that are neither text
  ///   nor records.
  private func guess(_ beginning: some Collection<UInt8>) throws(ImageError) -> TraceFormat {
    let bytes = Array(beginning)
    if let image = ImageFormat(sniffing: bytes.span.bytes) {
      throw ImageError(.corrupt, "\(name) is an image (\(image.rawValue)), not a trace")
    }
    let format = TraceFormat(beginning: bytes)
    if format == .oracleGeneral, !Self.looksRecorded(bytes) {
      throw ImageError(
        .corrupt,
        "\(name) is neither text nor oracleGeneral; TraceReader.read(format:) names another format")
    }
    return format
  }

  /// Whether the bytes can be records: in a recorded trace, times never decrease.
  private static func looksRecorded(_ bytes: [UInt8]) -> Bool {
    var last: UInt32 = 0
    for at in stride(from: 0, through: bytes.count - recordLength, by: recordLength) {
      let time = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[at + $1]) << (8 * $1) }
      if time < last { return false }
      last = time
    }
    return true
  }

  private func consumeRecords(
    _ bytes: UnsafeRawBufferPointer, _ builder: inout TraceBuilder
  ) throws(ImageError) -> Int {
    let count = bytes.count / Self.recordLength
    for index in 0..<count {
      let at = index * Self.recordLength
      let key = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt64.self))
      let size = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at + 12, as: UInt32.self))
      lineNumber += 1
      builder.time = Int(
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
      guard builder.add(number: key, size: Int(size)) else { throw tooMuch() }
    }
    return count * Self.recordLength
  }

  private func read(line: UnsafeRawBufferPointer, _ builder: inout TraceBuilder) throws(ImageError)
  {
    // The byte order mark that some editors write before UTF-8.
    let line =
      lineNumber == 1 && line.starts(with: [0xEF, 0xBB, 0xBF])
      ? UnsafeRawBufferPointer(rebasing: line[3...]) : line
    if format == .log {
      if line.allSatisfy({ $0 == 32 || (9...13).contains($0) }) { return }
      guard log.add(line, number: lineNumber, to: &builder) else { throw tooMuch() }
      return
    }
    let fields = TraceFields(line, isSpaced: format != .csv)
    if fields.count == 0, !fields.isMisquoted { return }
    if format == .arc {
      guard let first = fields.number(0), let count = fields.count > 1 ? fields.number(1) : 1,
        count <= 1 << 12
      else { throw wrong("has no 'first block, number of blocks (4096 at most)'") }
      for offset in 0..<count {
        guard builder.add(number: first &+ offset, size: 1) else { throw tooMuch() }
      }
      return
    }
    if columns == nil, !isGiven, line.first == UInt8(ascii: "{") { throw wrong(Self.isNone) }
    if fields.isMisquoted { throw wrong("has a quote that does not close where its field ends") }
    let known: TraceColumns? = if let columns { columns } else { try begin(with: fields) }
    guard let columns = known else { return }
    guard fields.count == columns.count else {
      throw wrong("has \(fields.count) fields, the lines before it have \(columns.count)")
    }
    var size = 1
    if let sizeAt = columns.size {
      guard let number = fields.number(sizeAt) else {
        throw wrong("has no size in bytes as its \(Self.ordinals[sizeAt]) field")
      }
      size = Int(clamping: number)
    }
    // A time that is not a number is that of the request before.
    if let time = columns.time.flatMap({ fields.wholeNumber($0) }) { builder.time = time }
    guard builder.add(text: fields[columns.key], size: size) else { throw tooMuch() }
  }

  private static let ordinals = ["first", "second", "third"]

  /// Determines the meaning of the fields; `nil` when the line has the names of the columns.
  private func begin(with fields: TraceFields) throws(ImageError) -> TraceColumns? {
    if let named = TraceColumns(names: fields) {
      columns = named
      return nil
    }
    if format == .csv, fields.count == 1 { throw wrong(Self.isNone) }
    if !isGiven {
      // Any text has lines of a word or two, so these are no evidence of a trace.
      guard fields.count == 3 else {
        throw wrong(
          "\(Self.isNone); for fewer fields, add a line of names such as time,key, or give TraceReader.read(format:)"
        )
      }
      let isTrace = fields.number(2) != nil && (format == .csv || fields.isNumeric(0))
      if !isTrace { throw wrong(Self.isNone) }
    }
    let settled = TraceColumns(count: fields.count)
    columns = settled
    return settled
  }

  private static let isNone =
    "is neither 'time,key,size' nor of an access log in \(LogTally.formats)"

  private func wrong(_ what: String) -> ImageError {
    ImageError(.corrupt, "\(name): line \(lineNumber) \(what)")
  }

  private func tooMuch() -> ImageError {
    let place = format == .oracleGeneral ? "record" : "line"
    return ImageError(
      .limitExceeded,
      "\(name): with \(place) \(lineNumber) the sizes sum up to more than 1 EiB, the most a trace may ask for"
    )
  }
}
