import Foundation
import ImageModel
import Testing

@testable import CacheSimulation
@testable import TestSupport

@Suite struct `Writing traces` {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func read(_ bytes: [UInt8], as name: String, keepsTimes: Bool = true) throws -> CacheTrace
  {
    let path = folder / name
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try TraceReader.read(path, keepsTimes: keepsTimes)
  }

  private func csv(_ text: String) throws -> CacheTrace { try read(Array(text.utf8), as: "t.csv") }

  @Test(arguments: TraceWriter.formats)
  func `what is written and read again is the same trace`(_ format: TraceFormat) throws {
    let trace = ImageDayGenerator(seed: 3, dayCount: 5).trace()

    let bytes = try TraceWriter.bytes(of: trace, as: format)
    let again = try read(bytes, as: "again.\(format.rawValue)")

    #expect(trace.keys.count > 100)
    #expect(again.keys == trace.keys)
    #expect(again.sizes == trace.sizes)
    #expect(again.times == trace.times)
    #expect(try TraceWriter.bytes(of: again, as: format) == bytes)
  }

  @Test func `records have time, key, size and the number of the next request`() throws {
    let trace = try csv("time,key,size\n5.250,https://x/a,10\n6,b,300\n70000,https://x/a,10\n")

    let bytes = try TraceWriter.bytes(of: trace, as: .oracleGeneral)

    #expect(bytes.count == 72)
    #expect(
      bytes[..<24] == [5, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 0] + [10, 0, 0, 0]
        + [3, 0, 0, 0, 0, 0, 0, 0])
    #expect(
      bytes[24..<48] == [6, 0, 0, 0] + [1, 0, 0, 0, 0, 0, 0, 0] + [44, 1, 0, 0]
        + [255, 255, 255, 255, 255, 255, 255, 255])
    #expect(bytes[48..<52] == [0x70, 0x11, 1, 0])
  }

  @Test func `times come from the column that is named so, and are 0 without one`() throws {
    #expect(try csv("size,key,time\n10,a,7\n20,b,8.9\n").times == [7, 8])
    #expect(try csv("key,size\na,7\nb,8\n").times == [0, 0])
    #expect(try csv("0,a,1\n9,b,1\nnever,c,1\n").times == [0, 9, 9])
    let keys = try folder.write("7\n8\n", to: "t.txt")
    #expect(try TraceReader.read(keys, format: .spaced, keepsTimes: true).times == [0, 0])
    #expect(try read(Array("3 a 5\n".utf8), as: "t.tr", keepsTimes: false).times == nil)
  }

  @Test(arguments: [
    ("1,a,4294967296\n", "size 4294967296 of request 1"),
    ("1,a,1\n1577836800000,b,1\n", "time 1577836800000 of request 2"),
  ])
  func `what does not fit a record is an error that names the request`(
    text: String, expected: String
  ) throws {
    let trace = try csv(text)

    let error = #expect(throws: ImageError.self) {
      try TraceWriter.bytes(of: trace, as: .oracleGeneral)
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains(expected) == true)
    #expect(try csv(text).keys == read(TraceWriter.bytes(of: trace, as: .csv), as: "u.csv").keys)
  }
}
