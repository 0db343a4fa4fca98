import Foundation
import ImageModel
import Testing

@testable import CachePolicies
@testable import CacheSimulation
@testable import TestSupport

@Suite struct `A line of a cache trace` {
  @Test(
    arguments: [
      (-0.25, "-0.250"), (-1, "-1.000"), (-1_000_000.5, "-1000000.500"), (-0.0001, "-0.001"),
      (0, "0.000"), (0.0625, "0.062"), (0.9999, "0.999"),
      (59.5, "59.500"), (4_102_444_800, "4102444800.000"),
    ] as [(Double, String)])
  func `has whole milliseconds since 1970, negative before`(seconds: Double, text: String) {
    let line = CacheTraceLine(time: Date(timeIntervalSince1970: seconds), key: "k", byteCount: 2)

    #expect("\(line)" == "\(text),k,2")
  }

  @Test(
    arguments: [
      (-2.5, -3), (-2, -2), (-0.001, -1), (-1e12, -1_000_000_000_000),
    ] as [(Double, Int)])
  func `is read with its time, rounded down to seconds`(seconds: Double, time: Int) throws {
    let scratch = try Scratch()
    let lines = [seconds, 7].map {
      "\(CacheTraceLine(time: Date(timeIntervalSince1970: $0), key: "k", byteCount: 2))\n"
    }
    try Data(lines.joined().utf8).write(to: URL(filePath: scratch / "trace.csv"))

    let trace = try TraceReader.read(scratch / "trace.csv", keepsTimes: true)

    #expect(trace.times == [time, 7])
    let written = try TraceWriter.bytes(of: trace, as: .csv)
    #expect(written.starts(with: Array("time,key,size\n\(time),0,2\n7,0,2\n".utf8)))
    #expect(throws: ImageError.self) { try TraceWriter.bytes(of: trace, as: .oracleGeneral) }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `is read as three fields, whatever its key has`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let alphabet = Array("ab,\" \n\r\t\u{0}\u{7F}%#?é知".unicodeScalars)
    let key = String(
      String.UnicodeScalarView(
        (0...Int(random.next() % 20)).map { _ in alphabet[Int(random.next() % 13)] }))
    let line = CacheTraceLine(
      time: Date(timeIntervalSince1970: 12.5), key: key, byteCount: Int(random.next() % 1_000))

    let bytes = Array(line.description.utf8)
    bytes.withUnsafeBytes { bytes in
      let fields = TraceFields(bytes, isSpaced: false)
      #expect(fields.count == 3 && !fields.isMisquoted, "seed \(seed)")
      #expect(fields.wholeNumber(0) == 12 && fields.number(2) == UInt64(line.byteCount))
      #expect(!fields[1].isEmpty, "seed \(seed)")
      // As with blanks between, so a program that splits at blanks reads it too.
      #expect(TraceFields(bytes, isSpaced: true).count == 1, "seed \(seed)")
    }
    #expect(!bytes.contains(10) && !bytes.contains(13))
  }
}
