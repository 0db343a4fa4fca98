import Testing

@testable import CacheSimulation

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
    #expect(TraceFormat(beginning: text.utf8) == format)
  }
}
