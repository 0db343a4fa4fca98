import CachePolicies
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
    trace = folder / "small.csv"
    var random = SplitMix64(seed: 9)
    var text = "time,key,size\n"
    for index in 0..<3_000 {
      let key = Int.random(in: 0..<Int.random(in: 1...300, using: &random), using: &random)
      text += "\(index),image-\(key),\(100 + key)\n"
    }
    try Data(text.utf8).write(to: URL(fileURLWithPath: trace))
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

  @Test func `the policies of the program count as those of the library`() async throws {
    let recorded = try TraceReader.read(trace)
    let rows = try await run(
      trace, "--policy", SimulatedPolicy.names.joined(separator: ","), "--capacity", "20obj",
      "--json"
    ).objects()

    #expect(rows.count == SimulatedPolicy.names.count)
    for row in rows {
      let policy = try #require(SimulatedPolicy(row["policy"] as? String ?? ""))
      let capacity = try #require(SimulatedCapacity("20obj") { _ in nil })
      let result = Simulation(trace: recorded, policy: policy, capacity: capacity).run { 0 }
      #expect(row["hits"] as? Int == result?.counts.hits)
    }
  }

  @Test func `each policy of the disk has a name of its own in the simulator`() {
    for policy in DiskEvictionPolicy.all {
      let name = "\(policy)-disk"
      #expect(SimulatedPolicy(name) == .disk(policy))
      #expect(SimulatedPolicy(name)?.description == name)
      #expect(SimulatedPolicy.names.contains(name))
      #expect(EvictionPolicy(name) == nil && DiskEvictionPolicy(name) == nil)
    }
    #expect(SimulatedPolicy("gdsf-tb-disk:0.5") == .disk(.gdsfTB(exponent: 0.5)))
    #expect(SimulatedPolicy("gdsf-tb-disk:0.5")?.description == "gdsf-tb-disk:0.5")
    #expect(SimulatedPolicy("lhd-tb-disk:0.7")?.description == "lhd-tb-disk:0.7")
    for text in [
      "gdsf-tb-disk:", "gdsf-tb-disk:x", "gdsf-tb-disk:5", "lru-disk:1", "-disk", "fifo-disk",
      "gdsf-tb:1-disk", "", "arc-disk", "gdsf-disk",
    ] {
      #expect(SimulatedPolicy(text) == nil)
    }
  }

  @Test func `default-disk is what the disk runs by default`() async throws {
    let rows = try await run(
      trace, "--policy", "default-disk,\(DiskEvictionPolicy.default)-disk", "--capacity", "10%",
      "--json"
    ).objects()

    #expect(SimulatedPolicy("default-disk") == .disk(.default))
    #expect(rows.map { $0["policy"] as? String }.first == "default-disk")
    #expect(rows.count == 2 && rows[0]["hits"] as? Int == rows[1]["hits"] as? Int)
    #expect(rows[0]["evictions"] as? Int == rows[1]["evictions"] as? Int)
  }

  @Test func `the share of the gap that is closed runs from LRU to the bound`() async throws {
    let rows = try await run(
      trace, "--policy", "lru,gdsf-tb,pfoo-l", "--capacity", "10%", "--json"
    ).objects()
    let gaps = rows.compactMap { $0["gap_closed"] as? Double }

    #expect(gaps.count == 3)
    #expect(gaps[0] == 0 && gaps[2] == 1)
    #expect(gaps[1] > 0 && gaps[1] < 1)
  }

  @Test func `the warm column leaves out the first fifth`() throws {
    // Four new objects, then the same one over and over.
    let keys: [UInt32] = [0, 1, 2, 3] + Array(repeating: 3, count: 16)
    let trace = CacheTrace(name: "t", keys: keys, sizes: keys.map { _ in 1 })
    let capacity = try #require(SimulatedCapacity("2obj") { _ in nil })

    let result = Simulation(trace: trace, policy: .online(.lru), capacity: capacity).run { 0 }

    #expect(result?.hitRatio == 0.8)
    #expect(result?.warmHitRatio == 1)
  }

  @Test func `a trace comes from stdin, and libCacheSim's lines go out`() async throws {
    let input = [UInt8](try Data(contentsOf: URL(fileURLWithPath: trace)))

    let outcome = try await Tool.imgcache.run(
      ["simulate", "-", "--policy", "lru", "--capacity", "4096", "--format", "libcachesim"],
      input: input)

    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("stdin lru cache size 4096B, 3000 req, miss ratio 0."))
  }

  @Test func `blocks of an ARC trace come from stdin when they are named so`() async throws {
    let input = Array("100 3 0 0\n101 1 0 1\n5 2 0 2\n".utf8)

    let rows = try await Tool.imgcache.run(
      [
        "simulate", "-", "--trace-format", "arc", "--policy", "inf", "--capacity", "1obj", "--json",
      ],
      input: input
    ).objects()

    #expect(rows.first?["requests"] as? Int == 6)
    #expect(rows.first?["hits"] as? Int == 1)
  }

  @Test(arguments: [
    ["--policy", "best"], ["--policy", "gdsf-tb:x"], ["--capacity", "many"], ["--capacity", "-1%"],
    ["--sample", "0"], ["--sample", "2"], ["--plot", "x.gif"], ["--format", "xml"],
    ["--policy", ""], ["--policy", ","], ["--capacity", ""], ["--plot", "-", "--json"],
    ["--trace-format", "lis"], ["--days", "3"], ["--seed", "3"], ["-o", "x.png"],
    ["-o", "x.csv.gz"], ["-o", "x.lis"], ["-o", "-", "--policy", "lru"], ["-o", "x.csv", "-"],
    ["-o", "x.csv", "--generate", "days"],
  ])
  func `what is misspelt is misuse`(_ arguments: [String]) async throws {
    let outcome = try await Tool.imgcache.run(["simulate", trace] + arguments)

    #expect(outcome.status == 64, "\(outcome.errors)")
  }

  @Test(arguments: EvictionPolicy.all.map(\.description) + ["gdsf-tb:0.5", "belady", "lru:1"])
  func `the disk runs on three policies, and names them where it is asked for another`(
    _ policy: String
  ) async throws {
    let outcome = try await Tool.imgcache.run([
      "stats", "--eviction", policy, "--cache-dir", folder / "cache",
    ])

    if DiskEvictionPolicy(policy) != nil {
      #expect(outcome.status == 0, "\(outcome.errors)")
    } else {
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("'\(policy)'"))
      for name in DiskEvictionPolicy.all { #expect(outcome.errors.contains(name.description)) }
    }
  }

  @Test func `a trace that cannot be read is told; the others are simulated`() async throws {
    let outcome = try await run(
      folder / "absent.csv", trace, "--policy", "lru", "--capacity", "1%", "--format", "csv")

    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("absent.csv"))
    #expect(outcome.output.split(separator: "\n").count == 2)
  }

  @Test func `Belady's is a row where objects differ in size, and no bound`() async throws {
    let outcome = try await run(
      trace, "--policy", "lru,belady", "--capacity", "10%", "--format", "csv", "--json")
    let rows = try outcome.objects()

    #expect(outcome.status == 0)
    #expect(rows.count == 2)
    #expect(rows.allSatisfy { $0["gap_closed"] == nil || $0["gap_closed"] is NSNull })
    #expect((rows[1]["hits"] as? Int ?? 0) > (rows[0]["hits"] as? Int ?? .max))
  }

  @Test func `a policy is called as it was asked for`() async throws {
    let names = ["gdsf-tb:1", "gdsf-tb:0.50", "gdsf-tb:2", "lru"]
    let outcome = try await run(
      trace, "--policy", names.joined(separator: ","), "--capacity", "1%", "--format", "csv")

    let called = outcome.output.split(separator: "\n").dropFirst().map { row in
      row.split(separator: ",").dropFirst().first.map(String.init) ?? ""
    }
    #expect(called == names)
  }

  @Test(arguments: [SIGINT, SIGTERM], [["simulate"], ["prefetch", "--feed"], ["info"]])
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
    let list = ["--policy", "lru,sieve", "--capacity", "1%,10%,50%"]
    func plotted(_ target: String) async throws -> Tool.Outcome {
      try await Tool.imgcache.run(["simulate", trace, "--plot", target] + list)
    }
    func bytes(_ name: String) throws -> [UInt8] {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder / name)))
    }

    #expect(try await plotted(folder / "p.svg").status == 0)
    let letters = try await plotted("-")

    let svg = String(decoding: try bytes("p.svg"), as: UTF8.self)
    #expect(svg.hasPrefix("<svg") && svg.contains(">sieve</text>"))
    #expect(letters.output.contains("a lru  b sieve"))
    guard Fonts.canDraw else { return }
    for name in ["p.png", "p.jpg", "p.webp"] {
      let outcome = try await plotted(folder / name)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let image = try bytes(name)
      let pixels = try ImageCodecs.decode(image.span.bytes)
      #expect(pixels.width == 1_600 && pixels.height < 1_000)
      #expect(Set(pixels.bytes).count > 20 && image.count < 200_000, "\(name)")
    }
    #expect(try await plotted(folder / "p.pdf").status == 0)
    let pdf = try bytes("p.pdf")
    #expect(pdf.starts(with: Array("%PDF".utf8)) && pdf.count < 1_000_000)
  }

  @Test func `without Pango and Cairo an image is refused before anything is simulated`()
    async throws
  {
    // The loader finds this file first, and it is not a library.
    try Data().write(to: URL(fileURLWithPath: folder / "libpangocairo-1.0.so.0"))
    var tool = Tool.imgcache
    tool.environment["LD_LIBRARY_PATH"] = folder.path

    let image = try await tool.run(["simulate", trace, "--plot", folder / "q.png"])
    let svg = try await tool.run(["simulate", trace, "--plot", folder / "q.svg"])

    #expect(image.status == 2 && image.output.isEmpty)
    #expect(image.errors.contains("libpangocairo-1.0-0"))
    #expect(!FileManager.default.fileExists(atPath: folder / "q.png"))
    #expect(svg.status == 0, "\(svg.errors)")
  }

  @Test func `more lines than colours are told apart by dashes, and by letters`() async throws {
    let list = SimulatedPolicy.names.filter { $0 != "belady" }
    let outcome = try await run(
      trace, "--plot", folder / "p.svg", "--policy", list.joined(separator: ","), "--capacity",
      "10%,50%", "--format", "csv")
    let exponents = (10..<50).map { "gdsf-tb:0.\($0)" }.joined(separator: ",")
    let letters = try await run(
      trace, "--plot", "-", "--policy", exponents, "--capacity", "1%,9%", "--format", "csv")

    #expect(outcome.status == 0)
    let svg = try String(contentsOfFile: folder / "p.svg", encoding: .utf8)
    let styles = svg.split(separator: "\n").compactMap { line -> Substring? in
      guard line.contains(#"stroke-width="2.0""#) else { return nil }
      return line.firstRange(of: "stroke=").map { line[$0.lowerBound...] }
    }
    // Each line is drawn twice, in the plot and beside its name.
    #expect(styles.count == 2 * list.count)
    #expect(Set(styles).count == list.count)
    #expect(letters.output.contains("a gdsf-tb:0.10 "))
    #expect(letters.output.contains("A gdsf-tb:0.36 "))
  }

  @Test func `traces of one name are told apart`() async throws {
    let other = folder / "other/small.csv"
    try FileManager.default.createDirectory(
      atPath: folder / "other", withIntermediateDirectories: false)
    // Of six objects in turn LRU hits none where five have room.
    let text = (0..<600).map { "\($0),\($0 % 6),100\n" }.joined()
    try Data(text.utf8).write(to: URL(fileURLWithPath: other))
    let list = ["--policy", "lru,gdsf-tb,pfoo-l", "--capacity", "500,1000"]

    let rows = try await Tool.imgcache.run(["simulate", trace, other, "--json"] + list).objects()
    let table = try await Tool.imgcache.run(
      ["simulate", trace, other, "--plot", folder / "p.svg"] + list)

    #expect(
      rows.map { $0["trace"] as? String }
        == [trace, other].flatMap { Array(repeating: $0, count: 6) })
    for capacity in 0..<3 {
      let gaps = rows[(3 * capacity)..<(3 * capacity + 3)].map { $0["gap_closed"] as? Double }
      #expect(gaps[0] == 0 && gaps[2] == 1)
    }
    #expect(table.output.contains("\(trace): 3000 requests"))
    #expect(table.output.contains("\(other): 600 requests"))
    let svg = try String(contentsOfFile: folder / "p.svg", encoding: .utf8)
    #expect(svg.contains(">\(trace)</text>") && svg.contains(">\(other)</text>"))
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

  @Test func `a sample states its error, and comes near`() async throws {
    let whole = try #require(
      try await Tool.imgcache.run(
        [
          "simulate", "--generate", "days", "--days", "60", "--policy", "lru", "--capacity", "20%",
          "--json",
        ]
      ).objects().first)
    let sample = try #require(
      try await Tool.imgcache.run(
        [
          "simulate", "--generate", "days", "--days", "60", "--policy", "lru", "--capacity", "20%",
          "--sample", "20%", "--json",
        ]
      ).objects().first)

    let error = try #require(sample["standard_error"] as? Double)
    let difference =
      (sample["hit_ratio"] as? Double ?? 0) - (whole["hit_ratio"] as? Double ?? 0)
    #expect(whole["standard_error"] == nil)
    #expect(error > 0 && error < 0.2)
    #expect(abs(difference) < 4 * error)
  }

  @Test func `a generated trace is written out, and read again it is the same`() async throws {
    let path = folder / "days.csv"
    let written = try await Tool.imgcache.run(
      ["simulate", "--generate", "days", "--days", "10", "--seed", "5", "-o", path])
    let printed = try await Tool.imgcache.run(
      ["simulate", "--generate", "days", "--days", "10", "--seed", "5"])

    #expect(written.status == 0 && printed.status == 0)
    #expect(printed.output == (try String(contentsOfFile: path, encoding: .utf8)))
    let made = ImageDayGenerator(seed: 5, dayCount: 10).trace()
    let read = try TraceReader.read(path)
    #expect(read.keys == made.keys && read.sizes == made.sizes)
  }

  @Test func `a trace that was read is written for libCacheSim, and simulated as before`()
    async throws
  {
    let records = folder / "small.oracleGeneral"
    let list = ["--policy", "lru,fifo,belady", "--capacity", "64KiB,10%", "--format", "csv"]

    let written = try await Tool.imgcache.run(["simulate", trace, "-o", records])
    let before = try await Tool.imgcache.run(["simulate", trace] + list)
    let after = try await Tool.imgcache.run(["simulate", records] + list)

    #expect(written.status == 0 && written.output.isEmpty && written.errors.isEmpty, "\(written)")
    // All but the last column, nanoseconds a request.
    func rows(_ output: String) -> [String] {
      output.split(separator: "\n").map {
        $0.split(separator: ",").dropLast().joined(separator: ",")
      }
    }
    #expect(rows(before.output) == rows(after.output))
    #expect(rows(after.output).count == 7)
  }

  @Test func `a generated trace is written and simulated where a policy is named`() async throws {
    let list = ["simulate", "--generate", "days", "--days", "10"]
    let printed = try await Tool.imgcache.run(list)
    let both = try await Tool.imgcache.run(
      list + ["-o", folder / "days.csv", "--policy", "lru", "--capacity", "1%", "--format", "csv"])

    #expect(both.status == 0)
    #expect(printed.output == (try String(contentsOfFile: folder / "days.csv", encoding: .utf8)))
    let rows = both.output.split(separator: "\n")
    #expect(rows.count == 2)
    #expect(rows.last?.hasPrefix("imgday-client-") == true)
  }

  @Test(arguments: [
    ["--json"], ["--plot", "-"], ["--sample", "10%"], ["--format", "csv"],
    ["--policy", "lru", "-o", "-"], ["--readers", "3"], ["--trace-format", "csv"],
  ])
  func `what says nothing of a trace that is only made is misuse`(_ arguments: [String])
    async throws
  {
    let outcome = try await Tool.imgcache.run(
      ["simulate", "--generate", "days", "--days", "2"] + arguments)

    #expect(outcome.status == 64, "\(outcome.errors)")
    #expect(outcome.output.isEmpty || arguments == ["--json"])
  }

  @Test(arguments: ["photo.jpg", "photo.csv.gz", "photo"])
  func `an image is not a trace`(name: String) async throws {
    let jpeg = try ImageCodecs.encodeJPEG(
      SampleImages.noise(64, 64, seed: 3), options: JPEGEncodingOptions(quality: 90))
    try Data(jpeg).write(to: URL(fileURLWithPath: folder / name))

    let outcome = try await run(folder / name, "--policy", "lru")
    let object = try #require(
      try await run(folder / name, "--policy", "lru", "--json").objects().first)

    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errors.contains(folder / name))
    #expect(name.contains(".csv") || outcome.errors.contains("is an image (jpeg), not a trace"))
    #expect((object["error"] as? [String: Any])?["code"] as? String == "corrupt")
  }

  @Test func `bytes that are neither text nor records are not a trace`() async throws {
    let bytes = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 8_185)
    try Data(bytes).write(to: URL(fileURLWithPath: folder / "program"))

    let outcome = try await run(folder / "program", "--policy", "lru")

    #expect(outcome.status == 1 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("neither text nor oracleGeneral"))
  }

  @Test(arguments: ["", "time,key,size\n", "\n\n"])
  func `a trace without requests is an error, not a table of noughts`(text: String) async throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder / "empty.csv"))

    let alone = try await run(folder / "empty.csv", "--policy", "lru")
    let beside = try await run(
      folder / "empty.csv", trace, "--policy", "lru", "--capacity", "1%", "--format", "csv")

    #expect(alone.status == 1 && alone.output.isEmpty)
    #expect(alone.errors.contains("empty.csv has no requests"))
    #expect(beside.status == 1 && beside.output.split(separator: "\n").count == 2)
  }

  @Test func `a trace has one name in every format`() async throws {
    let path = folder / "one trace.tr.csv"
    try FileManager.default.copyItem(atPath: trace, toPath: path)
    let list = ["--policy", "lru", "--capacity", "1%"]
    func output(_ options: String...) async throws -> String {
      try await Tool.imgcache.run(["simulate", path] + list + options).output
    }

    #expect(try await output().hasPrefix("one trace: 3000 requests"))
    #expect(
      try await output("--format", "csv").split(separator: "\n").last?.hasPrefix("one trace,lru,")
        == true)
    #expect(try await output("--format", "libcachesim").hasPrefix("one trace lru cache size "))
    #expect(try await output("--json").hasPrefix(#"{"trace":"one trace","#))
  }

  @Test func `a table fits 80 columns, and says what it leaves out`() async throws {
    let usual = try await run(trace)
    let wide = try await run(
      trace, "--policy", "lru,gdsf-tb-disk:0.125,pfoo-l", "--capacity", "1000000obj", "--sample",
      "50%")

    for outcome in [usual, wide] {
      let lines = outcome.output.split(separator: "\n")
      #expect(outcome.status == 0 && lines.count > 5)
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(outcome.output)")
    }
    #expect(usual.output.contains("ns/req") && !usual.output.contains("no room"))
    #expect(wide.output.contains("(no room for ns/req"))
    #expect(wide.output.contains("gdsf-tb-disk:0.125"))
  }

  @Test func `a policy that is misspelt has a suggestion`() async throws {
    let outcome = try await run(trace, "--policy", "lru,seive")

    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(#"Unknown policy "seive"; did you mean "sieve"?"#))
  }

  @Test func `without a trace there is nothing to do`() async throws {
    #expect(try await Tool.imgcache.run(["simulate"]).status == 64)
  }
}
