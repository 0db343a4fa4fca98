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
    let path = NSTemporaryDirectory() + "settings-\(UUID().uuidString).yaml"
    defer { try? FileManager.default.removeItem(atPath: path) }
    if let file {
      try file.write(toFile: path, atomically: true, encoding: .utf8)
      arguments += ["--config", path]
    }
    let expanded = try Settings.ofImgCache()
      .expand(arguments, environment: environment).arguments
    return file == nil ? expanded : expanded.dropLast(2)
  }

  @Test func `an empty variable is none`() throws {
    let expanded = try expand(["prefetch", "latest"], environment: ["IMGCACHE_CACHE_DIR": ""])

    #expect(expanded == ["prefetch", "latest"])
  }

  @Test func `a variable sets the option of its name`() throws {
    let expanded = try expand(["prefetch", "latest"], environment: ["IMGCACHE_PER_HOST": "3"])

    #expect(expanded == ["prefetch", "--per-host=3", "latest"])
  }

  @Test func `the command line goes before a variable, a variable before the file`() throws {
    let file = "concurrency: 1\nretries: 1\nper-host: 1\n"
    let environment = ["IMGCACHE_CONCURRENCY": "2", "IMGCACHE_RETRIES": "2"]

    let expanded = try expand(
      ["prefetch", "--concurrency", "3"], environment: environment, file: file)

    #expect(Set(expanded) == ["prefetch", "--retries=2", "--per-host=1", "--concurrency", "3"])
  }

  @Test func `a section of the file goes before its top level and concerns one command`() throws {
    let file = "retries: 1\nprefetch:\n  retries: 7\n"

    #expect(try expand(["prefetch"], file: file) == ["prefetch", "--retries=7"])
    #expect(try expand(["get", "u"], file: file) == ["get", "--retries=1", "u"])
  }

  @Test func `the tier of servers is not that of a simulation`() throws {
    let file = "tier: redis://a:1\nsimulate:\n  tier: 10%\n"
    let environment = ["IMGCACHE_TIER": "redis://b:1"]

    #expect(try expand(["serve"], file: file) == ["serve", "--tier=redis://a:1"])
    #expect(try expand(["simulate", "t"], file: file) == ["simulate", "--tier=10%", "t"])
    #expect(try expand(["serve"], environment: environment) == ["serve", "--tier=redis://b:1"])
    #expect(try expand(["simulate", "t"], environment: environment) == ["simulate", "t"])
  }

  @Test func `lists fill options that repeat`() throws {
    let file = "api: [http://a, http://b]\n"

    #expect(
      try expand(["prefetch"], file: file) == ["prefetch", "--api=http://a", "--api=http://b"])
  }

  @Test func `a variable has a line for each value of an option that repeats`() throws {
    let expanded = try expand(
      ["serve"], environment: ["IMGCACHE_ALLOW_HOST": "a.example\n*.b.example\n"])

    #expect(expanded == ["serve", "--allow-host=a.example", "--allow-host=*.b.example"])
  }

  @Test func `what stands in the file without a value is not set`() throws {
    #expect(try expand(["serve"], file: "serve:\n  allow-host:\nmax-size: ~\n") == ["serve"])
  }

  @Test func `flags are set by true and left by false`() throws {
    #expect(
      try expand(["prefetch"], file: "{\"bodies\": true, \"json\": false}")
        == ["prefetch", "--bodies"])
  }

  @Test func `underscores and dashes are the same`() throws {
    #expect(try expand(["prefetch"], file: "max_size: 1GiB") == ["prefetch", "--max-size=1GiB"])
  }

  @Test(arguments: [
    "concurency: 3", "prefetch:\n  nonsense: 1", "- a\n- b", "a: [", "bodies: perhaps",
    "max-size: [1, 2]", "max-size: {a: 1}", "api: [[http://a]]", "rm:\n  concurrency: 3",
    "serve:\n  listen: {a: 1}", "max-size: 1\nmax_size: 2", "retries: 1\nretries: 2",
    "config: other.yaml", "help:\n  a: 1", "1: 2", "? [a]\n: 1",
  ])
  func `a file with a mistake is refused with its name`(file: String) throws {
    #expect(throws: ImageError.self) { try expand(["prefetch"], file: file) }
  }

  @Test func `an empty file sets nothing`() throws {
    #expect(try expand(["prefetch"], file: "# nothing yet\n") == ["prefetch"])
  }

  @Test func `a missing file is an error`() throws {
    #expect(throws: ImageError.self) {
      try expand(["prefetch", "--config", "/nonexistent/imgcache.yaml"])
    }
  }

  private func message(_ file: String, _ arguments: [String] = ["ls"]) throws -> String {
    try #require(throws: ImageError.self) { try expand(arguments, file: file) }.message
  }

  @Test func `a mistake is told with its line, and the name that was meant`() throws {
    #expect(
      try message("retries: 1\nconcurency: 3\n").hasSuffix(
        ":2: unknown option \"concurency\"; did you mean \"concurrency\"?"))
    #expect(
      try message("# none\n\nserve:\n  listne: a\n").hasSuffix(
        ":4: unknown option \"listne\" in the section of serve; did you mean \"listen\"?"))
    #expect(
      try message("sevre:\n  listen: a\n").hasSuffix(
        ":1: unknown section \"sevre\"; did you mean \"serve\"?"))
    #expect(
      try message("bogus:\n  listen: a\n").hasSuffix(
        ":1: unknown section \"bogus\"; sections are named after commands"))
    #expect(try message("rm:\n  retries: 1\n").hasSuffix("rm does not have it"))
    #expect(try message("retries: 1\na: [\n").contains(".yaml:3: not YAML or JSON: "))
    #expect(
      try message("retries: 1\n---\nretries: 2\n").hasSuffix("found another document"))
  }

  @Test func `lists may be repeated by aliases, but not without end`() throws {
    #expect(
      try expand(["prefetch"], file: "feed: &a [b, c]\nserve:\n  feed: *a")
        == ["prefetch", "--feed=b", "--feed=c"])
    let list = Array(repeating: "a", count: 1000).joined(separator: ", ")
    let keys = (0..<1000).map { "k\($0): *a" }.joined(separator: "\n")
    #expect(try message("first: &a [\(list)]\n\(keys)").contains("more than 65536 values"))
  }

  @Test func `what is added names where it comes from`() throws {
    let folder = TemporaryDirectory()
    let path = folder.path("c.yaml")
    try "retries: 1\nprefetch:\n  timeout: 2\n".write(
      toFile: path, atomically: true, encoding: .utf8)

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

  @Test func `IMGCACHE_DIR is a variable, and so goes before the file`() throws {
    let expanded = try expand(
      ["ls"], environment: ["IMGCACHE_DIR": "/a"], file: "cache-dir: /b\n")

    #expect(expanded == ["ls", "--cache-dir=/a"])
  }

  @Test func `the default file is read where no other is named`() throws {
    let folder = TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: folder.path("imgcache"), withIntermediateDirectories: true)
    try "retries: 1\n".write(
      toFile: folder.path("imgcache/config.yaml"), atomically: true, encoding: .utf8)
    let environment = ["XDG_CONFIG_HOME": folder.path]

    #expect(Settings.mayApply(to: ["get", "u"], environment: environment))
    #expect(!Settings.mayApply(to: ["get", "u"], environment: ["HOME": folder.path]))
    #expect(try expand(["get", "u"], environment: environment) == ["get", "--retries=1", "u"])
    #expect(
      try expand(["get", "u"], environment: environment, file: "timeout: 2\n")
        == ["get", "--timeout=2", "u"])
  }

  @Test func `help is shown however broken the file is`() throws {
    #expect(try expand(["ls", "--help"], file: "nonsense: 1") == ["ls", "--help"])
  }
}

@Suite struct `What imgcache config prints` {
  private func rows(
    _ given: [String] = [], environment: [String: String] = [:], command: String? = nil
  ) throws -> [SettingsReport.Row] {
    try SettingsReport(
      Settings.ofImgCache(), given: given, environment: environment,
      parser: ImgCache.refusal
    ).rows(command: command)
  }

  @Test func `every option of a command is there, with its value and source`() throws {
    let folder = TemporaryDirectory()
    let path = folder.path("c.yaml")
    try "serve:\n  memory: 1GiB\nretries: 2\noffline: true\n".write(
      toFile: path, atomically: true, encoding: .utf8)

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
    #expect(Set(rows.map(\.name)).count == rows.count)
    #expect(rows.allSatisfy { $0.names == [$0.name] })
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

  @Test func `a variable that sets nothing is named`() throws {
    let notes = try Settings.ofImgCache().unknownVariables(in: [
      "IMGCACHE_TIMEUOT": "3", "IMGCACHE_TIMEOUT": "3", "IMGCACHE_DIR": "/a", "HOME": "/",
    ])

    #expect(notes == ["IMGCACHE_TIMEUOT sets no option; did you mean \"IMGCACHE_TIMEOUT\"?"])
  }
}
