import CachePolicies
import Testing

@testable import CacheSimulation
@testable import TerminalGraphics
@testable import imgcache

@Suite struct `Results of simulate as text` {
  private func result(
    named name: String = "t", _ policy: SimulatedPolicy = .online(.lru), _ capacity: String = "2obj"
  ) throws -> SimulationResult {
    let trace = CacheTrace(
      name: name, keys: [0, 1, 2, 0, 1, 2, 0, 1, 2, 2],
      sizes: Array(repeating: 10, count: 10))
    let capacity = try #require(SimulatedCapacity(capacity) { Int($0) })
    return try #require(
      Simulation(trace: trace, traceIndex: 0, policy: policy, named: nil, capacity: capacity)
        .run { 0 })
  }

  @Test(arguments: [
    ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("two\nlines", "\"two\nlines\""),
    ("plain.csv", "plain.csv"), ("a\"", "\"a\"\"\""), ("a\r\nb", "\"a\r\nb\""),
    ("a\rb", "\"a\rb\""),
  ])
  func `a name is quoted where RFC 4180 requires it`(name: String, quoted: String) throws {
    #expect(SimulationRow(result: try result(named: name)).csv.hasPrefix(quoted + ",lru,"))
  }

  @Test func `the line of libCacheSim has the ratio of misses, in its units`() throws {
    let objects = SimulationRow(result: try result(.infinite)).libCacheSim
    let bytes = SimulationRow(result: try result(.online(.lru), "20")).libCacheSim

    #expect(objects.hasSuffix("10 req, miss ratio 0.3000, byte miss ratio 0.3000"))
    #expect(bytes.hasPrefix("t lru cache size 20B, 10 req, miss ratio 0.9000"))
  }

  @Test func `LRU of two objects misses a cycle of three`() throws {
    let table = SimulationTable.text([try result()], columns: 200)
    let lines = table.split(separator: "\n")

    #expect(lines[0] == "t: 10 requests (100 B) for 3 objects (30 B)")
    #expect(table.contains("compulsory misses 30.00%, objects requested once 0.00%"))
    let row = try #require(lines.last).split(separator: " ")
    #expect(row.prefix(5) == ["lru", "2obj", "1", "10.00%", "10.00%"])
  }

  @Test(arguments: [20, 30, 40, 60, 80, 120])
  func `no line is wider than the terminal, and no fact is lost`(columns: Int) {
    let line = "sizes: 1% 10 B, 25% 1.5 KiB, 50% 20 KiB, 75% 知乎, 90% 3 MiB, 99% 64 MiB"

    let wrapped = SimulationTable.wrapped(line, columns: columns, indent: 2)

    for part in wrapped.split(separator: "\n") { #expect(TextColumns.count(part) <= columns) }
    let joined = wrapped.split(separator: "\n").map { $0.drop { $0 == " " } }
      .joined(separator: " ")
    #expect(joined == line)
  }
}

@Suite struct `Lists of simulate` {
  @Test func `are words between commas, or refused with what to write`() throws {
    #expect(try SimulationList.words(",lru,,arc,", "--policy") == ["lru", "arc"])
    for text in ["", ",", ",,,"] {
      let error = #expect(throws: (any Error).self) {
        try SimulationList.words(text, "--policy")
      }
      #expect("\(error.map { "\($0)" } ?? "")".contains("--policy names none"))
    }
    for text in ["", "0x", "-1", "1%%", "obj", "1.5.5MiB"] {
      let error = #expect(throws: (any Error).self) { try SimulationList.capacity(text) }
      #expect("\(error.map { "\($0)" } ?? "")".contains("write 64MiB, 1000obj, 1% or 1%obj"))
    }
  }
}
