import Testing

@testable import CacheSimulation

@Suite struct `The fields of a line` {
  /// Calls a body with the fields of a line.
  private func with<Value>(
    _ line: String, isSpaced: Bool = false, _ body: (TraceFields) -> Value
  ) -> Value {
    Array(line.utf8).withUnsafeBytes { body(TraceFields($0, isSpaced: isSpaced)) }
  }

  private func fields(_ line: String, isSpaced: Bool = false) -> [String] {
    with(line, isSpaced: isSpaced) { fields in
      (0..<fields.count).map { String(decoding: fields[$0], as: UTF8.self) }
    }
  }

  @Test(arguments: [
    ("a,b,c", ["a", "b", "c"]), ("a,b,c,d", ["a", "b", "c"]), (" a ,\tb\r", ["a", "b"]),
    (",b,", ["", "b", ""]), (",", ["", ""]), ("a", ["a"]), ("", []), ("   ", []),
    ("a b,c", ["a b", "c"]), ("a;b", ["a;b"]),
  ])
  func `are separated by commas, without blanks around them`(line: String, expected: [String]) {
    #expect(fields(line) == expected)
  }

  @Test(arguments: [
    ("a b c", ["a", "b", "c"]), ("a\t b  \u{B}c d", ["a", "b", "c"]), ("  a ", ["a"]),
    ("a,b", ["a,b"]), ("\"a b\"", ["\"a", "b\""]), ("", []), (" \t\r", []),
  ])
  func `are separated by blanks where the format has them, quotes or not`(
    line: String, expected: [String]
  ) {
    #expect(fields(line, isSpaced: true) == expected)
  }

  @Test(arguments: [
    ("\"a,b\",c", ["a,b", "c"]), ("0, \"a\" ,9", ["0", "a", "9"]), ("\"\",x", ["", "x"]),
    ("\"a\"\"b\",c", ["a\"\"b", "c"]), ("a\"b\",c", ["a\"b\"", "c"]), ("0,\"a\"", ["0", "a"]),
  ])
  func `may be quoted, and doubled quotes stay doubled`(line: String, expected: [String]) {
    #expect(fields(line) == expected)
    #expect(with(line) { !$0.isMisquoted })
  }

  @Test(arguments: [
    ("0", 0 as UInt64?), ("007", 7), ("18446744073709551615", .max), ("18446744073709551616", nil),
    ("99999999999999999999", nil), ("000000000000000000001", nil), ("-1", nil), ("+1", nil),
    ("1.0", nil), ("1e3", nil), ("٣", nil), ("0x1", nil),
  ])
  func `are numbers where they are digits only, in 64 bits`(text: String, expected: UInt64?) {
    #expect(with(text) { $0.number(0) } == expected)
  }

  @Test(arguments: [
    ("7", 7 as Int?), ("7.", 7), ("7.999", 7), ("1592300000.125", 1_592_300_000), (".5", nil),
    ("7.5.1", nil), ("7.x", nil), ("-7.5", -8), ("-7.000", -7), ("-7", -7), ("--7", nil),
    ("-", nil), ("7e2", nil), ("18446744073709551615", .max), ("-18446744073709551615.5", .min),
  ])
  func `have a whole number, rounded down`(text: String, expected: Int?) {
    #expect(with(text) { $0.wholeNumber(0) } == expected)
  }

  @Test(arguments: [
    ("12", true), ("-3", true), ("+4", true), (".5", true), ("7kg", true), ("-", false),
    (".", false), ("x", false), ("a1", false),
  ])
  func `are numeric where they begin as a number does`(text: String, isNumeric: Bool) {
    #expect(with(text) { $0.isNumeric(0) } == isNumeric)
    #expect(with(",x") { $0.isNumeric(0) } == false)
  }
}

@Suite struct `The name of a trace file` {
  @Test(arguments: [
    ("a.csv", TraceFormat.csv), ("A.CSV", .csv), ("a.csv.gz", .csv), ("a.csv.gzip", .csv),
    ("OLTP.lis", .arc), ("p1.LIS.GZ", .arc), ("a.oracleGeneral", .oracleGeneral),
    ("a.oracleGeneral.bin", .oracleGeneral), ("dir.csv/a.oraclegeneral.gz", .oracleGeneral),
  ])
  func `indicates the format by its extension, compressed or not`(
    path: String, format: TraceFormat
  ) {
    #expect(TraceFormat(path: path) == format)
  }

  @Test(arguments: ["a", "", "a.txt", "a.tr", "a.bin", "a.gz", "csv", "a.csv.zst", "a.csv/b"])
  func `leaves any other format to the first bytes`(path: String) {
    #expect(TraceFormat(path: path) == nil)
  }

  @Test(arguments: [
    ("/data/day.csv", "day"), ("day.csv.gz", "day"), ("day.oracleGeneral.bin", "day"),
    ("OLTP.LIS", "OLTP"), ("web.2020-06.tr.gzip", "web.2020-06"), ("a/b/", "b"), ("day", "day"),
    ("day.json", "day.json"), ("day.csv.bak", "day.csv.bak"), (".csv", ".csv"), ("/", "/"),
    ("", ""), ("x..csv", "x."),
  ])
  func `without folder and extensions names the trace`(path: String, name: String) {
    #expect(TraceFormat.baseName(path) == name)
  }

  private func trace(_ name: String, path: String?) -> CacheTrace {
    CacheTrace(name: name, path: path, keys: [0], sizes: [1])
  }

  @Test func `is replaced by the path where two traces share it`() {
    let traces = CacheTrace.distinguished([
      trace("day", path: "a/day.csv"), trace("night", path: "a/night.csv"),
      trace("day", path: "b/day.csv"),
    ])

    #expect(traces.map(\.name) == ["a/day.csv", "night", "b/day.csv"])
  }

  @Test(arguments: [
    ("", TraceFormat.spaced), ("1 2 3\n", .spaced), ("7\n", .spaced), ("1,2,3\n", .csv),
    ("1 2\n3,4\n", .spaced), ("a,b", .csv), ("\u{1}, ,\n", .oracleGeneral),
    ("1,2\n\u{0}", .oracleGeneral), ("1\t2\t3\n", .spaced),
  ])
  func `does not matter where the first bytes decide`(text: String, format: TraceFormat) {
    #expect(TraceFormat(beginning: Array(text.utf8)) == format)
  }
}
