import Foundation
import ImageModel
import Testing

@testable import imgcache
@testable import TestSupport

extension Settings {
  /// Described once: that takes a second in a debug build.
  private static let described = Result { try Settings(describedBy: ImgCache._dumpHelp()) }

  fileprivate static func ofImgCache() throws -> Settings { try described.get() }
}

@Suite struct `Settings from variables and files` {
  private func expand(
    _ arguments: [String], environment: [String: String] = [:], file: String? = nil
  ) throws -> [String] {
    var arguments = arguments
    let scratch = try Scratch()
    if let file { arguments += ["--config", try scratch.write(file, to: "settings.yaml")] }
    let expanded = try Settings.ofImgCache()
      .expand(arguments, environment: environment).arguments
    return file == nil ? expanded : expanded.dropLast(2)
  }

  private static let expansions:
    [(arguments: [String], environment: [String: String], file: String?, expanded: [String])] = [
      (["prefetch", "latest"], ["IMGCACHE_CACHE_DIR": ""], nil, ["prefetch", "latest"]),
      (
        ["prefetch", "latest"], ["IMGCACHE_PER_HOST": "3"], nil,
        ["prefetch", "--per-host=3", "latest"]
      ),
      // A section goes before the top level and concerns one command.
      (["prefetch"], [:], "retries: 1\nprefetch:\n  retries: 7\n", ["prefetch", "--retries=7"]),
      (["get", "u"], [:], "retries: 1\nprefetch:\n  retries: 7\n", ["get", "--retries=1", "u"]),
      // The tier of servers is not that of a simulation.
      (["serve"], [:], "tier: a:1\nsimulate:\n  tier: 10%\n", ["serve", "--tier=a:1"]),
      (
        ["simulate", "t"], [:], "tier: a:1\nsimulate:\n  tier: 10%\n",
        ["simulate", "--tier=10%", "t"]
      ),
      (["serve"], ["IMGCACHE_TIER": "b:1"], nil, ["serve", "--tier=b:1"]),
      (["simulate", "t"], ["IMGCACHE_TIER": "b:1"], nil, ["simulate", "t"]),
      // Options that repeat.
      (
        ["prefetch"], [:], "api: [http://a, http://b]\n",
        ["prefetch", "--api=http://a", "--api=http://b"]
      ),
      (
        ["prefetch"], [:], "feed: &a [b, c]\nserve:\n  feed: *a",
        ["prefetch", "--feed=b", "--feed=c"]
      ),
      (
        ["serve"], ["IMGCACHE_ALLOW_HOST": "a.example\n*.b.example\n"], nil,
        ["serve", "--allow-host=a.example", "--allow-host=*.b.example"]
      ),
      // No value, flags, underscores.
      (["serve"], [:], "serve:\n  allow-host:\nmax-size: ~\n", ["serve"]),
      (["prefetch"], [:], #"{"bodies": true, "json": false}"#, ["prefetch", "--bodies"]),
      (["prefetch"], [:], "max_size: 1GiB", ["prefetch", "--max-size=1GiB"]),
      (["ls"], ["IMGCACHE_DIR": "/a"], "cache-dir: /b\n", ["ls", "--cache-dir=/a"]),
      // Help is shown however broken the file is.
      (["ls", "--help"], [:], "nonsense: 1", ["ls", "--help"]),
    ]

  @Test(arguments: expansions.indices)
  func `are put before what is on the command line`(index: Int) throws {
    let row = Self.expansions[index]

    #expect(
      try expand(row.arguments, environment: row.environment, file: row.file) == row.expanded)
  }

  @Test func `the command line goes before a variable, a variable before the file`() throws {
    let file = "concurrency: 1\nretries: 1\nper-host: 1\n"
    let environment = ["IMGCACHE_CONCURRENCY": "2", "IMGCACHE_RETRIES": "2"]

    let expanded = try expand(
      ["prefetch", "--concurrency", "3"], environment: environment, file: file)

    #expect(Set(expanded) == ["prefetch", "--retries=2", "--per-host=1", "--concurrency", "3"])
  }

  @Test(arguments: [
    "bodies: perhaps", "max-size: [1, 2]", "config: other.yaml", "help:\n  a: 1", "1: 2", "a: [",
    "max-size: 1\nmax_size: 2", "retries: 1\n---\nretries: 2\n",
  ])
  func `a file with a mistake is refused`(file: String) throws {
    #expect(throws: ImageError.self) { try expand(["prefetch"], file: file) }
  }

  @Test func `what is added names where it comes from`() throws {
    let folder = try Scratch()
    let path = try folder.write("retries: 1\nprefetch:\n  timeout: 2\n", to: "c.yaml")

    let expansion = try Settings.ofImgCache().expand(
      ["prefetch", "--config", path], environment: ["IMGCACHE_PER_HOST": "3"])

    #expect(
      expansion.sources == [
        "retries": .file(path: path, line: 1, isForAll: true),
        "timeout": .file(path: path, line: 3, isForAll: false),
        "per-host": .variable("IMGCACHE_PER_HOST"),
      ])
    #expect(expansion.sources["timeout"]?.description == path + ":3")
  }
}

@Suite struct `What imgcache config prints` {
  private func rows(
    _ given: [String] = [], environment: [String: String] = [:], command: String? = nil
  ) throws -> [SettingsReport.Row] {
    try SettingsReport(
      settings: Settings.ofImgCache(), given: given, environment: environment,
      parser: ImgCache.refusal
    ).rows(command: command)
  }

  @Test func `every option of a command is there, with its value and source`() throws {
    let folder = try Scratch()
    let path = try folder.write(
      "serve:\n  memory: 1GiB\nretries: 2\noffline: true\n", to: "c.yaml")

    let rows = try rows(
      ["serve", "--config", path, "--max-age", "3d", "--idle-time=9s"],
      environment: ["IMGCACHE_PER_HOST": "4"], command: "serve")
    func row(_ name: String) throws -> SettingsReport.Row {
      try #require(rows.first { $0.name == name })
    }

    #expect(try row("max-age").values == ["3d"])
    #expect(try row("max-age").source == .commandLine)
    #expect(try row("idle-time").values == ["9s"])
    #expect(try row("per-host").source == .variable("IMGCACHE_PER_HOST"))
    #expect(try row("memory").source == .file(path: path, line: 2, isForAll: false))
    #expect(try row("retries").source == .file(path: path, line: 3, isForAll: true))
    #expect(try row("offline").values == ["true"])
    #expect(try row("timeout").values == ["10 s"])
    #expect(try row("timeout").source == .byDefault)
    #expect(try row("queue-time").values == ["5 s"])
    #expect(Set(rows.map(\.name)).count == rows.count && rows.allSatisfy { $0.names == [$0.name] })
  }

  @Test func `of all commands an option is one row, and one more for each that differs`() throws {
    let rows = try rows()

    #expect(rows.filter { $0.name == "max-size" }.map(\.names) == [["max-size"]])
    #expect(
      rows.filter { $0.name == "timeout" }.map { $0.names.joined() + " " + $0.text }
        == ["timeout 30 s", "serve.timeout 10 s"])
    #expect(
      Set(rows.filter { $0.name == "format" }.flatMap(\.names))
        == ["decode.format", "simulate.format", "thumb.format"])
  }

  @Test func `a malformed value, option or command is refused with its name`() throws {
    func message(_ body: () throws -> [SettingsReport.Row]) throws -> String {
      try #require(throws: ImageError.self) { _ = try body() }.message
    }

    let value = try message { try rows(environment: ["IMGCACHE_MAX_AGE": "3"]) }
    #expect(value.hasPrefix("IMGCACHE_MAX_AGE: ") && value.contains("Missing unit"))
    #expect(try message { try rows(["--max-aeg", "3d"]) }.contains("\"max-age\""))
    #expect(try message { try rows(command: "serv") }.contains("\"serve\""))
  }

  @Test(
    arguments: [
      ("max-size", "gc get path prefetch proxy refresh serve sheet show stats thumb"),
      ("max-age", "gc get path prefetch proxy refresh serve sheet show thumb"),
      ("eviction", "gc get path prefetch proxy refresh serve sheet show thumb"),
      ("durability", "gc get path pin prefetch proxy refresh rm serve sheet show thumb unpin"),
      ("min-free", "get path prefetch proxy refresh serve sheet show thumb"),
      ("verify-reads", "get path prefetch proxy refresh serve sheet show thumb"),
    ])
  func `an option of the cache is of the commands in which it has an effect`(
    name: String, commands: String
  ) throws {
    let accepting = try Settings.ofImgCache().commands.filter { command in
      command.arguments?.contains { $0.names?.contains { $0.name == name } == true } == true
    }
    #expect(accepting.map(\.commandName).sorted().joined(separator: " ") == commands)
  }

  @Test func `a variable that sets nothing is named`() throws {
    let notes = try Settings.ofImgCache().unknownVariables(in: [
      "IMGCACHE_TIMEUOT": "3", "IMGCACHE_TIMEOUT": "3", "IMGCACHE_DIR": "/a", "HOME": "/",
    ])

    #expect(notes == ["IMGCACHE_TIMEUOT sets no option; did you mean \"IMGCACHE_TIMEOUT\"?"])
  }

  @Test func `every command tells of a misspelt variable, and of no other one`() throws {
    let settings = try Settings.ofImgCache()
    let environment = ["IMGCACHE_TIMEUOT": "3", "IMGCACHE_FIXTURES": "a", "IMGCACHE_QUICK": "1"]
    func notes(_ command: String) throws -> [String] {
      try settings.expand([command], environment: environment).notes
    }

    #expect(
      try notes("ls")
        == ["IMGCACHE_TIMEUOT sets no option; did you mean \"IMGCACHE_TIMEOUT\"?"])
    #expect(try notes("config") == [])
  }
}
