import ArgumentParser
import CacheSimulation
import Testing

@testable import imgcache

@Suite struct `The options of simulate` {
  private func refusal(of line: String) -> String? {
    do {
      _ = try ImgCache.parseAsRoot(["simulate"] + line.split(separator: " ").map(String.init))
      return nil
    } catch {
      return ImgCache.message(for: error)
    }
  }

  private static let refusals = """
     -> name a trace, or '-' for stdin, or make one with --generate days
    - - -> stdin can be read once
    a b -o c.csv -> --output writes one trace; name one, or one to generate
    a -o c.csv --json -> --json, --format, --plot and --sample are for results; \
    name --policy or --capacity to simulate what is written
    a -o - --policy lru -> results are written to stdout; give --output a file
    a --plot - --json -> --plot - and --json both write to stdout; give --plot a file
    a --plot b.bmp -> --plot draws .svg, .pdf, .png, .jpg or .webp, not 'b.bmp'
    a --servers 2 --sample 0.5 -> --sample, --plot and --format libcachesim are for a single cache; \
    leave out --servers, --hashing and --tier
    a --sample 0 -> --sample is a share above 0 up to 1, not '0'
    a --sample 101% -> --sample is a share above 0 up to 1, not '101%'
    a --sample half -> --sample is a share above 0 up to 1, not 'half'
    a --policy , -> --policy names none
    a --capacity 1XB -> "1XB" is not a capacity; write 64MiB, 1000obj, 1% or 1%obj
    a --hashing none -> --hashing chooses one of several servers; add --servers
    a --servers 0 -> --servers is 1 through 1024, not '0'
    a --servers 2,1025 -> --servers is 1 through 1024, not '1025'
    a --servers 2 --hashing modulo -> --hashing is none or consistent, not 'modulo'
    a --servers 2 --policy belady -> --policy belady looks ahead in the requests of a single cache; \
    with --servers, --hashing or --tier name a policy that a cache can run, or inf
    a --tier 10%,belady -> --tier belady looks ahead in the requests of a single cache; \
    with --servers, --hashing or --tier name a policy that a cache can run, or inf
    a --tier much -> "much" is not a capacity; write 64MiB, 1000obj, 1% or 1%obj
    a --seed 1 -> --seed, --mode, --days and --readers are for a trace that is made; add --generate days
    --generate days --days 0 -> --days is 1 through 10000
    --generate days --mode edge --readers 100001 -> --readers is 1 through 100000
    --generate days --readers 5 -> --readers is for --mode edge
    --generate days --trace-format csv -> --trace-format is for traces that are read; name one
    --generate days -o a.csv.gz -> --output writes .csv or .oracleGeneral, not packed, not 'a.csv.gz'
    """.split(separator: "\n").map { $0.split(separator: " -> ", omittingEmptySubsequences: false) }
    .map { $0.map(String.init) }

  @Test(arguments: refusals)
  func `are refused with the reason`(row: [String]) {
    #expect(refusal(of: row[0]) == row[1])
  }

  @Test func `a misspelt policy gets the name that was meant and all names`() throws {
    let message = try #require(refusal(of: "a --policy sive"))

    #expect(message.hasPrefix("Unknown policy \"sive\"; did you mean \"sieve\"? Policies: "))
    #expect(message.hasSuffix(SimulatedPolicy.names.joined(separator: ", ")))
  }

  @Test func `each tier is compared with each number of servers and each hashing`() throws {
    let options = try FleetOptions.parse([
      "--servers", "1,4", "--hashing", "none,consistent", "--tier", "none", "--tier", "10%,sieve",
    ])

    let fleets = try options.fleets()

    #expect(fleets.map(\.serverCount) == [1, 1, 4, 4, 1, 1, 4, 4])
    #expect(fleets.prefix(4).map(\.choice) == [.none, .consistent, .none, .consistent])
    #expect(fleets.prefix(4).allSatisfy { $0.tier == nil })
    #expect(fleets.suffix(4).allSatisfy { $0.tier?.policyName == "sieve" })
    #expect(fleets.suffix(4).allSatisfy { $0.tier?.capacity.description == "10%" })
  }

  @Test func `there is no fleet without an option, and one server of a tier`() throws {
    let none = try FleetOptions.parse([])
    let tier = try FleetOptions.parse(["--tier", "64MiB"])

    #expect(!none.areNamed)
    #expect(try none.fleets().isEmpty)
    #expect(tier.areNamed)
    #expect(try tier.fleets().map(\.serverCount) == [1])
    #expect(try tier.fleets().first?.tier?.policyName == "lru")
  }

  @Test(arguments: [
    (0.5, 6, "0.500000"), (0, 2, "0.00"), (1.005, 1, "1.0"), (12.96, 1, "13.0"),
    (-0.25, 2, "-0.25"), (-0.001, 2, "0.00"), (0.0625, 4, "0.0625"), (7.6, 0, "8"),
    (.infinity, 2, "inf"),
  ])
  func `numbers of results are rounded to a fixed number of digits`(
    value: Double, digits: Int, text: String
  ) {
    #expect(SimulationRow.fixed(value, digits) == text)
  }
}
