import Foundation
import ImageModel
import Testing

@testable import CacheSimulation
@testable import TestSupport

@Suite struct `Errors of trace files` {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  /// The error of a file, with `FILE` for its path.
  private func error(_ bytes: [UInt8], as name: String) throws -> ImageError {
    let path = folder / name
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: ImageError.self) { try TraceReader.read(path) }
    let found = try #require(error)
    return found.withMessage(found.message.replacing(path, with: "FILE"))
  }

  private func message(_ text: String, as name: String = "t.csv") throws -> String {
    try error(Array(text.utf8), as: name).message
  }

  @Test(arguments: [
    (
      "a line of words\n",
      "FILE: line 1 is neither 'time,key,size' nor of an access log in the common or combined format, "
        + "Caddy's JSON or imgcache's own"
    ),
    ("0,a,10\n1,b\n", "FILE: line 2 has 2 fields, the lines before it have 3"),
    ("time,key\n0,a\n1,b,7\n", "FILE: line 3 has 3 fields, the lines before it have 2"),
    ("0,a,10\n\n2,b,ten\n", "FILE: line 3 has no size in bytes as its third field"),
    ("size,key\n10,a\n-1,b\n", "FILE: line 3 has no size in bytes as its first field"),
    ("key,size\na,\n", "FILE: line 2 has no size in bytes as its second field"),
    (
      "0,\"a,10\n",
      "FILE: line 1 has a quote that does not close where its field ends"
    ),
    (
      "0,\"a\"b,10\n",
      "FILE: line 1 has a quote that does not close where its field ends"
    ),
  ])
  func `name the line of a CSV file and what is wrong with it`(
    text: String, expected: String
  ) throws {
    #expect(try message(text) == expected)
  }

  @Test(arguments: ["1 5000\n", "x 3\n", "7 -1\n", "7 two\n", "18446744073709551616 1\n"])
  func `state what a line of an ARC trace has to have`(text: String) throws {
    #expect(
      try message(text, as: "t.lis")
        == "FILE: line 1 has no 'first block, number of blocks (4096 at most)'")
  }

  @Test(arguments: [
    ("0,a,10\n1,b,20\n2,oth", 3), ("0;a;10\n1;b;20\n", 1), ("0\ta\t10\n", 1),
    ("<html><body>404</body></html>\n", 1), ("{\"a\":1}\n{\"a\":2}\n", 1),
    ("0,a,10\r1,b,20\r", 1), ("1,a,-3\n2,b,0\n", 1), ("0,a,1\n1,\"b,1\n", 2),
    ("0,a,1\n1,b,99999999999999999999999\n", 2),
  ])
  func `name the line that is none of a trace`(text: String, line: Int) throws {
    #expect(try message(text).contains("line \(line) "))
  }

  @Test func `name the format of an image`() throws {
    let error = try error([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13], as: "t")

    #expect(error.message == "FILE is an image (png), not a trace")
  }

  @Test func `say how many bytes a record has where the last one is cut off`() throws {
    let error = try error([UInt8](repeating: 0, count: 47), as: "t.oracleGeneral")

    #expect(error.code == .truncated)
    #expect(error.message == "FILE ends in the middle of a record of 24 bytes")
  }

  @Test func `tell records whose times decrease from a trace`() throws {
    var bytes = [UInt8](repeating: 0, count: 48)
    bytes[0] = 9
    bytes[24] = 8

    #expect(
      try error(bytes, as: "t").message
        == "FILE is neither text nor oracleGeneral; TraceReader.read(format:) names another format")
    // Named so, it is read as it is.
    let named = folder / "t.oracleGeneral"
    try Data(bytes).write(to: URL(fileURLWithPath: named))
    #expect(try TraceReader.read(named).keys == [0, 0])
  }

  @Test func `name a missing file and a folder, with the reason of the system`() {
    let absent = #expect(throws: ImageError.self) { try TraceReader.read(folder / "absent") }
    let directory = #expect(throws: ImageError.self) { try TraceReader.read(folder.path) }

    #expect(absent?.code == .fileUnreadable)
    #expect(
      absent?.message == "cannot read the trace \(folder / "absent"): No such file or directory")
    #expect(directory?.message == "cannot read the trace \(folder.path): Is a directory")
  }
}
