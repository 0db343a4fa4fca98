import Foundation
import ImageCodecs
import ImageModel
import Testing

@testable import CacheSimulation
@testable import TestSupport

@Suite(.needsProgram) struct `imgcache simulate` {
  private let folder: Scratch
  private let trace: String

  /// 3,000 requests of 300 objects of 100 to 399 bytes, some far more often than others.
  init() throws {
    folder = try Scratch()
    var random = SplitMix64(seed: 9)
    var text = "time,key,size\n"
    for index in 0..<3_000 {
      let key = Int.random(in: 0..<Int.random(in: 1...300, using: &random), using: &random)
      text += "\(index),image-\(key),\(100 + key)\n"
    }
    trace = try folder.write(text, to: "small.csv")
  }

  private func run(_ arguments: String...) async throws -> Tool.Outcome {
    try await Tool.imgcache.run(["simulate"] + arguments)
  }

  @Test func `one row a combination, with raw counts beside ratios`() async throws {
    let outcome = try await run(
      trace, "--policy", "lru,gdsf-tb:0.5,pfoo-l", "--capacity", "8KiB,20obj,10%", "--format", "csv"
    )
    let lines = outcome.output.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    #expect(outcome.status == 0)
    #expect(
      lines[0].joined(separator: ",")
        == "trace,policy,capacity,requests,hits,hit_ratio,byte_hit_ratio,warm_hit_ratio,evictions,"
        + "ns_per_request")
    #expect(lines.count == 10)
    #expect(Set(lines.dropFirst().map { $0[0] }) == ["small"])
    #expect(lines.dropFirst().map { $0[2] } == ["8KiB", "20obj", "10%"].flatMap { [$0, $0, $0] })
    #expect(lines[2][1] == "gdsf-tb:0.5")
    for line in lines.dropFirst() {
      #expect(line.count == 10 && line[3] == "3000")
      #expect(abs(try #require(Double(line[5])) - (try #require(Double(line[4]))) / 3_000) < 1e-6)
    }
  }

  @Test func `JSON has the same keys, and the facts of the trace`() async throws {
    let row = try #require(
      try await run(trace, "--policy", "sieve", "--capacity", "5%obj", "--json").objects().first)

    for key in [
      "trace", "policy", "capacity", "requests", "hits", "hit_ratio", "byte_hit_ratio",
      "warm_hit_ratio", "evictions", "ns_per_request",
    ] {
      #expect(row[key] != nil, "\(key)")
    }
    let facts = try #require(row["facts"] as? [String: Any])
    #expect(facts["requests"] as? Int == 3_000)
    #expect(facts["footprint_bytes"] as? Int ?? 0 > 0)
    #expect(row["capacity_objects"] as? Int == (facts["objects"] as? Int ?? 0) * 5 / 100)
  }

  @Test func `a trace comes from stdin, and libCacheSim's lines go out`() async throws {
    let list = ["simulate", "-", "--policy", "lru", "--capacity", "4096"]

    let outcome = try await Tool.imgcache.run(
      list + ["--format", "libcachesim"], input: folder.bytes(of: "small.csv"))
    let blocks = try await Tool.imgcache.run(
      list + ["--trace-format", "arc", "--json"],
      input: Array("100 3 0 0\n101 1 0 1\n5 2 0 2\n".utf8)
    ).objects()

    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("stdin lru cache size 4096B, 3000 req, miss ratio 0."))
    #expect(blocks.first?["requests"] as? Int == 6)
  }

  @Test func `an unreadable or empty trace is told, others are simulated`() async throws {
    let empty = try folder.write("time,key,size\n", to: "empty.csv")
    let outcome = try await run(
      folder / "absent.csv", empty, trace, "--policy", "lru", "--capacity", "1%", "--format", "csv")

    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("absent.csv"))
    #expect(outcome.errors.contains("empty.csv has no requests"))
    #expect(outcome.output.split(separator: "\n").count == 2)
  }

  @Test(arguments: [(SIGINT, ["simulate"]), (SIGTERM, ["prefetch", "--feed"]), (SIGINT, ["info"])])
  func `a signal ends at once what waits for its input`(
    _ number: Int32, _ command: [String]
  ) async throws {
    let scratch = try Scratch()
    try #require(mkfifo(scratch / "pipe", 0o600) == 0)
    let child = try ChildProcess(
      Tool.imgcache.path,
      command + [scratch / "pipe", "--cache-dir", scratch / "cache", "--no-progress"],
      errors: scratch / "errors")
    // Opened by both, it is being read; nobody ever writes.
    let writer = try await OffPool.run { open(scratch / "pipe", O_WRONLY | O_CLOEXEC) }
    defer { close(writer) }

    child.signal(number)

    #expect(try await child.end() == 128 + number)
  }

  @Test func `plots are an SVG or letters, and with Pango and Cairo images and a PDF`() async throws
  {
    func plot(_ target: String) async throws -> Tool.Outcome {
      try await run(trace, "--plot", target, "--policy", "lru,sieve", "--capacity", "1%,10%,50%")
    }

    #expect(try await plot(folder / "p.svg").status == 0)
    let letters = try await plot("-")

    let svg = try folder.text(of: "p.svg")
    #expect(svg.hasPrefix("<svg") && svg.contains(">sieve</text>"))
    #expect(letters.output.contains("a lru  b sieve"))
    guard Fonts.canDraw else { return }
    #expect(try await plot(folder / "p.webp").status == 0)
    #expect(try await plot(folder / "p.pdf").status == 0)
    let image = try folder.bytes(of: "p.webp")
    let pixels = try ImageCodecs.decode(image.span.bytes)
    #expect(pixels.width == 1_600 && pixels.height < 1_000 && image.count < 200_000)
    #expect(try folder.bytes(of: "p.pdf").starts(with: Array("%PDF".utf8)))
  }

  @Test func `a sample too small to tell its error says so`() async throws {
    let list = ["--days", "60", "--sample", "10%", "--policy", "lru,inf", "--capacity", "50obj"]
    let table = try await Tool.imgcache.run(["simulate", "--generate", "days"] + list)
    let rows = try await Tool.imgcache.run(["simulate", "--generate", "days", "--json"] + list)
      .objects()

    #expect(table.status == 0)
    #expect(
      table.output.split(separator: "\n").contains {
        $0.hasPrefix("lru ") && $0.contains("too small")
      })
    #expect(rows.first?["standard_error"] is NSNull)
    // A cache without end needs no room.
    #expect(rows.last?["standard_error"] as? Double ?? 0 > 0)
  }

  @Test func `a generated trace is written out, and read again it is the same`() async throws {
    let generate = ["simulate", "--generate", "days", "--days", "10", "--seed", "5"]
    let path = folder / "days.csv"
    let written = try await Tool.imgcache.run(
      generate + ["-o", path, "--policy", "lru", "--capacity", "1%", "--format", "csv"])
    let printed = try await Tool.imgcache.run(generate)

    #expect(written.status == 0 && printed.status == 0)
    #expect(try printed.output == folder.text(of: "days.csv"))
    let made = ImageDayGenerator(seed: 5, dayCount: 10).trace()
    let read = try TraceReader.read(path)
    #expect(read.keys == made.keys && read.sizes == made.sizes)
    let rows = written.output.split(separator: "\n")
    #expect(rows.count == 2 && rows.last?.hasPrefix("imgday-client-") == true)
  }
}
