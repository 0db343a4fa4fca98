import CachePolicies
import Testing

@testable import CacheSimulation
@testable import imgcache

@Suite struct `A trace name in CSV` {
  @Test(arguments: ["a\r\nb", "a\rb"])
  func `with a carriage return is one field`(name: String) throws {
    let trace = CacheTrace(name: name, keys: [0, 1, 0], sizes: [10, 10, 10])
    let capacity = try #require(SimulatedCapacity("2obj") { Int($0) })
    let result = try #require(
      Simulation(
        trace: trace, traceIndex: 0, policy: .online(.lru), named: nil, capacity: capacity
      ).run { 0 })

    #expect(SimulationRow(result: result).csv.hasPrefix("\"\(name)\",lru,"))
  }
}
