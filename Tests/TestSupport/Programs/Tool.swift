import Foundation
import Testing

@testable import ImageModel

/// Runs programs as a user would: the `imgcache` built beside the tests, or any other.
struct Tool: Sendable {
  struct Outcome: Sendable {
    let status: Int32
    let output: String
    let errors: String

    func objects() throws -> [[String: Any]] {
      try output.split(separator: "\n").map { line in
        try #require(
          JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
          "no JSON object: \(line)")
      }
    }
  }

  let path: String
  var environment: [String: String] = [:]

  /// The `imgcache` of `IMGCACHE_PROGRAM`, which `./test` sets to the optimized one; else the
  /// one built with these tests.
  static let imgcache = Tool(
    path: ProcessInfo.processInfo.environment["IMGCACHE_PROGRAM"] ?? buildFolder + "/imgcache")

  /// Whether `imgcache` was built beside these tests.
  static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: imgcache.path) }

  /// A folder without files, for the duration of the tests.
  private static let emptyFolder: URL = {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "imgcache-test-\(ProcessInfo.processInfo.processIdentifier)-empty")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: Tool.emptyFolder) }
    return folder
  }()

  static let buildFolder: String = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundlePath
    return URL(fileURLWithPath: bundle ?? CommandLine.arguments[0]).deletingLastPathComponent().path
  }()

  /// Starts it; its output goes to files of that folder.
  func start(
    _ arguments: [String], input: [UInt8] = [], in folder: String? = nil, writingTo scratch: Scratch
  ) throws -> ChildProcess {
    try Data(input).write(to: URL(fileURLWithPath: scratch / "input"))
    var inherited = ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("IMGCACHE_") && $0.key != "XDG_CACHE_HOME" }
    // No configuration and no cache of the user's.
    if path == Self.imgcache.path {
      inherited["XDG_CONFIG_HOME"] = Self.emptyFolder.path
      inherited["XDG_CACHE_HOME"] = scratch.path
    }
    // Files, not pipes: nothing has to be drained, and nothing can block.
    return try ChildProcess(
      path, arguments, environment: inherited.merging(environment) { $1 }, in: folder,
      input: scratch / "input", output: scratch / "output", errors: scratch / "errors")
  }

  func run(
    _ arguments: [String], input: [UInt8] = [], in folder: String? = nil
  ) async throws -> Outcome {
    let scratch = try Scratch()
    let status = try await start(arguments, input: input, in: folder, writingTo: scratch).end()
    return Outcome(
      status: status, output: try Self.text(scratch / "output"),
      errors: try Self.text(scratch / "errors"))
  }

  private static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
  }
}

final class Scratch: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "imgcache-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  static func / (folder: Scratch, name: String) -> String { folder.path + "/" + name }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file, with the folders above it, and returns its path.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try makeFolder(name.split(separator: "/").dropLast().joined(separator: "/"))
    try Data(bytes).write(to: URL(filePath: self / name))
    return self / name
  }

  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: self / name, withIntermediateDirectories: true)
  }

  /// Makes a symbolic link to another name in it.
  func link(_ name: String, to other: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: self / name, withDestinationPath: self / other)
  }

  func bytes(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: self / name)))
  }

  func text(of name: String) throws -> String {
    try String(contentsOfFile: self / name, encoding: .utf8)
  }

  /// What is in a folder, sorted; nothing if it is absent.
  func names(in folder: String = "") -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: self / folder))?.sorted() ?? []
  }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self / name) }
}
