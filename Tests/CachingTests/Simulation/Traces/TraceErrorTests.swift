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
    ("a line of words\n", "FILE: line 1 is not 'time,key,size'"),
    ("0,a,10\n1,b\n", "FILE: line 2 has 2 fields, the lines before it have 3"),
    ("0,a\n1,b,7\n", "FILE: line 2 has 3 fields, the lines before it have 2"),
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

  @Test func `a line of an ARC trace may have 4096 blocks, and one without a count has one`()
    throws
  {
    let path = folder / "ok.lis"
    try Data("0 4096\n9\n".utf8).write(to: URL(fileURLWithPath: path))

    #expect(try TraceReader.read(path).keys.count == 4_097)
  }

  @Test func `say that a line is too long to be one`() throws {
    let bytes = [UInt8](repeating: UInt8(ascii: "7"), count: (1 << 20) + 5_000)

    let error = try error(bytes, as: "t.csv")

    #expect(error.code == .corrupt)
    #expect(error.message == "FILE: line 1 is longer than a mebibyte")
  }

  @Test func `say how many bytes a record has where the last one is cut off`() throws {
    let error = try error([UInt8](repeating: 0, count: 47), as: "t.oracleGeneral")

    #expect(error.code == .truncated)
    #expect(error.message == "FILE ends in the middle of a record of 24 bytes")
  }

  @Test func `name the line at which the sizes exceed the limit`() throws {
    let error = try error(Array("0,a,1\n1,b,1152921504606846976\n".utf8), as: "t.csv")

    #expect(error.code == .limitExceeded)
    #expect(
      error.message
        == "FILE: with line 2 the sizes sum up to more than 1 EiB, the most a trace may ask for")
  }

  @Test func `name the format of an image`() throws {
    let error = try error([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13], as: "t")

    #expect(error.code == .corrupt)
    #expect(error.message == "FILE is an image (png), not a trace")
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

  @Test func `say that gzip data is damaged or ends early`() throws {
    let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

    let cut = try error(head, as: "t.gz")
    let damaged = try error(head + [0xFF, 0xFF, 0xFF, 0xFF], as: "t.gz")
    let unknown = try error([0x1F, 0x8B, 7] + head.dropFirst(3), as: "t.gz")

    #expect(cut.code == .truncated)
    #expect(cut.message == "FILE ends in the middle of its gzip data")
    #expect(damaged.code == .corrupt)
    #expect(damaged.message == "FILE is damaged: its data is not valid gzip")
    #expect(unknown.message == "FILE is damaged: its data is not valid gzip")
  }

  @Test func `name a missing file and a folder, with the reason of the system`() {
    let absent = #expect(throws: ImageError.self) { try TraceReader.read(folder / "absent") }
    let directory = #expect(throws: ImageError.self) { try TraceReader.read(folder.path) }

    #expect(absent?.code == .fileUnreadable)
    #expect(
      absent?.message == "cannot read the trace \(folder / "absent"): No such file or directory")
    #expect(directory?.message == "cannot read the trace \(folder.path): Is a directory")
  }

  @Test(arguments: [TraceFormat.spaced, .arc])
  func `name the formats that can be written`(format: TraceFormat) {
    let error = #expect(throws: ImageError.self) {
      try TraceWriter.bytes(of: CacheTrace(name: "t", keys: [0], sizes: [1]), as: format)
    }

    #expect(error?.message == "a trace is written as csv or oracleGeneral, not \(format)")
  }

  @Test func `name the request whose size does not fit a record, and a format that has room`() {
    let trace = CacheTrace(name: "t", keys: [0, 1], sizes: [1, 1 << 32])

    let error = #expect(throws: ImageError.self) {
      try TraceWriter.bytes(of: trace, as: .oracleGeneral)
    }

    #expect(
      error?.message
        == """
        the size 4294967296 of request 2 does not fit the 32 bits that oracleGeneral has for it; \
        write CSV
        """
    )
  }
}
