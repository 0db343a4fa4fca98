import Foundation
import ImageModel
import Testing

@testable import CacheSimulation
@testable import TestSupport

@Suite struct `Reading traces` {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func read(_ bytes: [UInt8], as name: String) throws -> CacheTrace {
    let path = folder / name
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try TraceReader.read(path, sampleRate: 1)
  }

  private func read(_ text: String, as name: String) throws -> CacheTrace {
    try read(Array(text.utf8), as: name)
  }

  @Test(arguments: [
    "time,key,size\n0,a,10\n1,b,20\n2,a,10\n", "0,a,10\n1,b,20\n2,a,10\n",
    "0,a,10\r\n1,b,20\r\n2,a,10",
    "0, a ,10\n\n1,b,20,more\n2,a,10\n",
    "5.125,https://x/a?b=1%2C2,10\n6,b,20\n7,https://x/a?b=1%2C2,10\n",
    "\u{FEFF}Time,Key,Size\n0,a,10\n1,b,20\n2,a,10\n",
    "\n\nsize,key,time\n10,a,0\n20,b,1\n10,a,2\n",
    "Zeit,Schlüssel,Bytes\n0,a,10\n1,b,20\n2,a,10\n",
    "0,\"a,\"\"x\"\"\",10\n1,b,\"20\"\n2, \"a,\"\"x\"\"\" ,10\n", "0,a,10\n1,b,20\n2,\"a\",10\n",
  ])
  func `CSV, with a line of names or without`(_ text: String) throws {
    let trace = try read(text, as: "t.csv")

    #expect(trace.name == "t")
    #expect(trace.keys == [0, 1, 0])
    #expect(trace.sizes == [10, 20, 10])
  }

  @Test func `fields with blanks between, and keys alone where the format is given`() throws {
    #expect(try read("1 7 100\n2\t8   50\n3 7 100\n", as: "a.tr").sizes == [100, 50, 100])
    let keys = try TraceReader.read(folder.write("7\n8\n7\n", to: "b.txt"), format: .spaced)
    #expect(keys.keys == [0, 1, 0] && keys.sizes == [1, 1, 1])
    #expect(try read("\u{FEFF}Time,Key\n1,x\n2,y\n3,x\n", as: "d.csv").keys == [0, 1, 0])
  }

  @Test func `blocks of the ARC traces`() throws {
    let trace = try read("100 3 0 0\n101 1 0 1\n5 2 0 2\n", as: "OLTP.lis")

    #expect(trace.keys == [0, 1, 2, 1, 3, 4])
    #expect(try read("18446744073709551615 2\n0 1\n", as: "end.lis").keys == [0, 1, 1])
    #expect(trace.sizes.allSatisfy { $0 == 1 })
  }

  /// Times of a line end, of several, and of a comma.
  @Test(arguments: ["x.oracleGeneral", "x.bin"], [1, 10, 0x0A0A_0A0A, 44])
  func `records of libCacheSim, whatever time they begin at`(_ name: String, _ time: Int) throws {
    var bytes: [UInt8] = []
    for (time, key, size) in [(time, 1 << 40, 4_096), (time, 7, 512), (time, 1 << 40, 4_096)] {
      withUnsafeBytes(of: UInt32(time).littleEndian) { bytes += $0 }
      withUnsafeBytes(of: UInt64(key).littleEndian) { bytes += $0 }
      withUnsafeBytes(of: UInt32(size).littleEndian) { bytes += $0 }
      withUnsafeBytes(of: Int64(-1).littleEndian) { bytes += $0 }
    }

    let trace = try read(bytes, as: name)

    #expect(trace.keys == [0, 1, 0])
    #expect(trace.sizes == [4_096, 512, 4_096])
    #expect(throws: ImageError.self) { try read(bytes.dropLast(5), as: name) }
  }

  @Test func `gzip, in one member or several, whatever the file is called`() async throws {
    let lines = (0..<9_000).map { "\($0),key\($0 % 977),\(100 + $0 % 977)\n" }
    let half = try await folder.gzipped(Array(lines.prefix(4_000).joined().utf8))
    let rest = try await folder.gzipped(Array(lines.dropFirst(4_000).joined().utf8))

    let trace = try read(half + rest, as: "t")

    #expect(trace.keys.count == 9_000)
    #expect(trace.facts.objectCount == 977)
    #expect(trace.sizes[8_999] == 100 + 8_999 % 977)
  }

  /// 2^62 - 1 in one line; more than 2^60 in two; three times 2^59, two of them learned from the
  /// third.
  @Test(arguments: [
    ("0,a,4611686018427387903\n", 1), ("0,a,18446744073709551615\n", 1),
    ("0,a,1152921504606846975\n1,b,1\n2,a,1\n", 3),
    ("0,a,0\n1,a,0\n2,a,576460752303423488\n", 3),
  ])
  func `sizes that sum up to more than 1 EiB are refused, with the line`(
    _ text: String, _ line: Int
  ) throws {
    let error = #expect(throws: ImageError.self) { try read(text, as: "t.csv") }

    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("line \(line) ") == true)
  }

  @Test func `sizes that sum up to 1 EiB are simulated by all`() throws {
    let trace = try read(
      (0..<4).map { "\($0),\($0 % 2),288230376151711744\n" }.joined(), as: "t.csv")

    #expect(trace.facts.requestedByteCount == 1 << 60)
    try simulate(trace)
  }

  /// All policies in caches of all sizes.
  private func simulate(_ trace: CacheTrace) throws {
    for text in ["0", "10obj", "20%", "\(Int.max)", "\(Int.max)obj"] {
      let capacity = try #require(SimulatedCapacity(text) { Int($0) })
      for name in SimulatedPolicy.names {
        let policy = try #require(SimulatedPolicy(name))
        let counts = Simulation(trace: trace, policy: policy, capacity: capacity).run { 0 }?.counts
        guard let counts else { continue }
        #expect((0...trace.keys.count).contains(counts.hits))
        #expect((0...trace.facts.requestedByteCount).contains(counts.hitByteCount))
      }
    }
  }

  @Test(arguments: ["t", "t.csv", "t.lis", "t.oracleGeneral", "access.log"])
  func `whatever the bytes are, a trace or an error comes of them, and it can be simulated`(
    _ name: String
  ) async throws {
    let text = (0..<300).map { "\($0) \($0 % 90) \($0 % 7 == 0 ? 1 << ($0 / 6) : $0)\n" }.joined()
    let log = (0..<200).map { index in
      "192.0.2.1 - - [27/Nov/2026:08:46:50 +0000] \"GET /\(index % 90) HTTP/1.1\" 200 \(index)\n"
        + "{\"method\":\"GET\",\"target\":\"/\(index % 9)\",\"status\":304,\"bytes\":0}\n"
    }.joined()
    let rows = name.hasSuffix(".csv") ? text.replacing(" ", with: ",") : text
    let lines = Array((name.hasSuffix(".log") ? log : rows).utf8)
    let zipped = try await folder.gzipped(lines)
    var random = SplitMix64(seed: 23)
    var outcomes = [0, 0]

    for round in 0..<200 {
      var bytes = round % 2 == 0 ? lines : zipped
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
      do {
        let trace = try read(bytes, as: name)
        #expect(trace.keys.allSatisfy { $0 < trace.facts.objectCount })
        #expect(trace.sizes.allSatisfy { $0 >= 0 })
        if round % 10 < 2, trace.keys.count < 1_000 { try simulate(trace) }
        outcomes[0] += 1
      } catch is ImageError {
        outcomes[1] += 1
      }
    }

    #expect(outcomes[0] > 0 && outcomes[1] > 0)
  }

  @Test func `an endless line is no trace`() throws {
    let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 3 << 20)

    #expect(throws: ImageError.self) { try read(bytes, as: "t.csv") }
  }

  @Test func `the next known size is that of requests before, the last one of those behind`() throws
  {
    let trace = try read("0,a,0\n1,a,30\n2,a,0\n3,a,50\n4,a,0\n", as: "t.csv")

    #expect(trace.sizes == [30, 30, 30, 50, 50])
    #expect(trace.facts.requestedByteCount == 190)
  }
}
