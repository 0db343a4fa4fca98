/// The file format of a trace.
public enum TraceFormat: String, Sendable, CaseIterable {
  /// `time,key,size` a line, perhaps below a line of names, which may have another order; a key may
  /// be quoted. `time,key`, with a size of 1, needs the names, or this format to be given. A size of 0 is unknown: that of an earlier or
  /// later request of the same key is used.
  case csv
  /// `time key size` a line, separated by blanks; also `time key` and `key` where this format is
  /// given.
  case spaced
  /// `first count …` a line: so many numbered blocks from the first on, each of size 1 (the ARC
  /// traces).
  case arc
  /// Records of 24 bytes, little-endian: time (4), key (8), size (4), next request (8), of
  /// libCacheSim.
  case oracleGeneral
  /// An access log in the common or combined format of Apache and nginx, perhaps with the virtual
  /// host in front, Caddy's JSON, or one of the forms of `AccessLog`: GET requests answered 200, 206
  /// or 304. The key is the target, behind the host where the line has one.
  case log

  /// Returns the format by a file's name; `nil` leaves it to the first bytes.
  public init?(path: String) {
    var name = path.lowercased()
    for packed in [".gz", ".gzip"] where name.hasSuffix(packed) {
      name.removeLast(packed.count)
    }
    let endings: [(String, TraceFormat)] = [
      (".csv", .csv), (".lis", .arc), (".oraclegeneral", .oracleGeneral),
      (".oraclegeneral.bin", .oracleGeneral),
    ]
    guard let format = endings.first(where: { name.hasSuffix($0.0) })?.1 else { return nil }
    self = format
  }

  /// The number of bytes that the format is detected by; fewer for a shorter file. The lines of a
  /// log are long, and its first ones may be malformed.
  static let tellingLength = 1 << 16

  /// A line of an access log makes it one. Else, in the first 4,096 bytes, those that no text has make
  /// it oracleGeneral: the upper bytes of its numbers are 0, and the lower ones may be line breaks and
  /// commas. Otherwise the first line decides: a comma makes it CSV, several fields with blanks
  /// `time key size`. ARC's lines look like the latter and have to be named.
  init(beginning: [UInt8]) {
    let lines = beginning.split(separator: UInt8(ascii: "\n"))
    if lines.contains(where: { $0.withUnsafeBytes { LogLine($0) != nil } }) {
      self = .log
    } else if beginning.prefix(4_096).contains(where: { $0 < 9 }) {
      self = .oracleGeneral
    } else if beginning.prefix(while: { $0 != UInt8(ascii: "\n") }).contains(UInt8(ascii: ",")) {
      self = .csv
    } else {
      self = .spaced
    }
  }

  static func baseName(_ path: String) -> String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    var parts = file.split(separator: ".", omittingEmptySubsequences: false)
    let endings: Set<String> = [
      "gz", "gzip", "csv", "lis", "txt", "trace", "tr", "bin", "oraclegeneral",
    ]
    // A name that is only an extension is kept.
    while parts.count > 1, parts[0] != "" || parts.count > 2, let last = parts.last,
      endings.contains(last.lowercased())
    {
      parts.removeLast()
    }
    return parts.joined(separator: ".")
  }
}
