import Foundation
import ImagePipeline
import Testing

@testable import imgcache

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
    let expanded = try Settings(describedBy: ImgCache._dumpHelp())
      .expand(arguments, environment: environment)
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
    "max-size: [1, 2]", "max-size: {a: 1}", "api: [[http://a]]",
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
}
