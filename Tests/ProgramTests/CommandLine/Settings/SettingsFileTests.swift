import Foundation
import ImageModel
import Testing

@testable import imgcache
@testable import TestSupport

@Suite struct `A configuration file` {
  private let commands: [String: Set<String>] = [
    "prefetch": ["retries", "bodies", "api"], "serve": ["listen", "retries"], "ls": ["long"],
  ]

  private func file(_ text: String) throws -> SettingsFile {
    let scratch = try Scratch()
    let path = try scratch.write(text, to: "config.yaml")
    return try SettingsFile(path: path, namedBy: .variable("IMGCACHE_CONFIG"))
  }

  /// What is wrong with a text, with `config.yaml:` for its path.
  private func fault(_ text: String) -> String {
    do {
      try file(text).check(commands)
      return "nothing"
    } catch let error as ImageError {
      #expect(error.code == .invalidArgument)
      return error.message.firstRange(of: "config.yaml").map {
        String(error.message[$0.lowerBound...])
      } ?? error.message
    } catch {
      return "\(error)"
    }
  }

  @Test(arguments: [
    "retries: 1\nprefetch:\n  api: [http://a, http://b]\n", "serve:\n", "prefetch: {bodies: true}",
    #"{"serve": {"listen": "127.0.0.1:1"}, "retries": 2}"#, "retries:\n", "null", "# nothing",
    "prefetch: ~\nls: {}\n",
  ])
  func `has options at the top and in sections, all of which may be empty`(text: String) {
    #expect(fault(text) == "nothing")
  }

  private static let faults: [(text: String, fault: String)] = [
    ("- a\n", "config.yaml:1: expected 'option: value' lines"),
    ("words", "config.yaml:1: expected 'option: value' lines"),
    ("[a]: 1\n", "config.yaml:1: malformed key"),
    ("retries: 1\n\nretries: 2\n", "config.yaml:3: \"retries\" was set on line 1 already"),
    ("per_a: 1\nper-a: 2\n", "\"per-a\" was set on line 1 already"),
    ("prefetch:\n  api: a\n  api: b\n", "config.yaml:3: \"api\" was set on line 2 already"),
    ("prefetch:\n  retries:\n    x: 1\n", "config.yaml:2: \"retries\" takes a value"),
    ("retries: [[1]]\n", "config.yaml:1: \"retries\" takes a value or a list of values"),
    ("api: [{a: b}]\n", "config.yaml:1: \"api\" takes a value or a list of values"),
    ("api: [a, null]\n", "config.yaml:1: \"api\" takes a value or a list of values"),
    ("a: 1\nretris: 1\n", "config.yaml:1: unknown option \"a\""),
    ("retris: 1\n", "config.yaml:1: unknown option \"retris\"; did you mean \"retries\"?"),
    ("prefech:\n  api: a\n", "config.yaml:1: unknown section \"prefech\"; did you mean"),
    ("zzzzzzzz:\n  api: a\n", "sections are named after commands"),
    ("ls:\n  lnog: 1\n", "config.yaml:2: unknown option \"lnog\" in the section of ls; did you"),
    ("ls:\n  listen: a\n", "in the section of ls; ls does not have it"),
    ("prefetch: yes\n", "config.yaml:1: \"prefetch\" is the section of a command: it takes 'opt"),
    ("prefetch: [{retries: 1}]\n", "config.yaml:1: \"prefetch\" is the section of a command: it"),
  ]

  @Test(arguments: faults)
  func `with a mistake is refused with the line and the way out`(text: String, fault: String) {
    let found = self.fault(text)

    #expect(found.contains(fault), "\(found)")
  }

  @Test func `gives a section's value before one at the top, with its line`() throws {
    let file = try file("retries: 1\nprefetch:\n  retries: [7, 8]\n")

    let own = try #require(file.value(of: "retries", for: "prefetch"))
    let all = try #require(file.value(of: "retries", for: "serve"))

    #expect(own.values == ["7", "8"])
    #expect(own.source == .file(path: file.path, line: 3, isForAll: false))
    #expect(all.values == ["1"])
    #expect(all.source == .file(path: file.path, line: 1, isForAll: true))
    #expect(file.value(of: "retries", for: "serve", orForAll: false) == nil)
    #expect(file.value(of: "listen", for: "serve") == nil)
    // An empty value hides none.
    let empty = try self.file("retries: 1\nprefetch:\n  retries:\n")
    #expect(empty.value(of: "retries", for: "prefetch")?.values == ["1"])
  }

  @Test func `that is absent, a folder or too large says where its name comes from`() throws {
    let scratch = try Scratch()
    try scratch.write([UInt8](repeating: UInt8(ascii: "#"), count: 1 << 20 + 1), to: "large")
    try scratch.write("", to: "folder/file")

    for (name, reason) in [
      ("absent", "No such file"), ("folder", "it is a directory"), ("large", "bytes allowed"),
    ] {
      let error = #expect(throws: ImageError.self) {
        try SettingsFile(path: scratch / name, namedBy: .variable("IMGCACHE_CONFIG"))
      }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.hasPrefix("configuration file (IMGCACHE_CONFIG): ") == true)
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    }
  }
}
