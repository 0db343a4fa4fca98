import Testing

@testable import CacheSimulation

@Suite struct `The name of a simulated policy` {
  @Test(arguments: SimulatedPolicy.names.filter { $0 != "default-disk" })
  func `is read as it is written`(name: String) throws {
    #expect(try #require(SimulatedPolicy(name)).description == name)
  }

  @Test(arguments: [
    ("gdsf-tb-disk:0.5", SimulatedPolicy.disk(.gdsfTB(exponent: 0.5)), "gdsf-tb-disk:0.5"),
    ("lhd-tb:2", .online(.lhdTB(exponent: 2)), "lhd-tb:2.0"),
    ("lhd-tb-disk:1", .disk(.lhdTB(exponent: 1)), "lhd-tb-disk"),
    ("default-disk", .disk(.default), "lhd-tb-disk"),
  ])
  func `has an exponent on the size behind a colon, unless it is the default`(
    name: String, policy: SimulatedPolicy, description: String
  ) {
    #expect(SimulatedPolicy(name) == policy)
    #expect(policy.description == description)
  }

  @Test(arguments: [
    "", "-disk", ":", "lru-disk:", "lru-disk:1", "lru:1", "gdsf-tb:0.5-disk", "gdsf-tb-disk:",
    "gdsf-tb-disk:5", "gdsf-tb-disk:1:1", "fifo-disk", "default", "default-disk:1", "LRU", "inf ",
    "arc-disk", "gdsf-disk", "sieve-disk:1",
  ])
  func `is none of these`(name: String) {
    #expect(SimulatedPolicy(name) == nil)
  }
}
