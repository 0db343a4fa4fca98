import Foundation
import Testing

@testable import ImagePipeline

/// Runs programs as a user would: `imgcache` as it was built beside the tests, or any other.
struct Tool: Sendable {
  /// How a program ended and what it said.
  struct Outcome: Sendable {
    let status: Int32
    let output: String
    let errors: String

    /// The lines of stdout, each read as a JSON object.
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

  /// The `imgcache` that was built with these tests.
  static let imgcache = Tool(path: buildFolder + "/imgcache")

  /// Where the products of this build lie.
  static let buildFolder: String = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundlePath
    return URL(fileURLWithPath: bundle ?? CommandLine.arguments[0]).deletingLastPathComponent().path
  }()

  /// Runs it to its end on a thread that may wait.
  func run(_ arguments: [String], input: [UInt8] = [], in folder: String? = nil) async throws
    -> Outcome
  {
    try await withCheckedThrowingContinuation { continuation in
      do {
        _ = try OSThread(name: "tool") {
          continuation.resume(with: Result { try runAndWait(arguments, input, folder) })
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func runAndWait(
    _ arguments: [String], _ input: [UInt8], _ folder: String?
  ) throws -> Outcome {
    let scratch = try Scratch()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = folder.map { URL(fileURLWithPath: $0) }
    process.environment = ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("IMGCACHE_") && $0.key != "XDG_CACHE_HOME" }
      .merging(environment) { $1 }
    // Files, not pipes: nothing has to be drained, and nothing can block.
    let (output, errors, stdin) = (scratch / "output", scratch / "errors", scratch / "input")
    try Data(input).write(to: URL(fileURLWithPath: stdin))
    for path in [output, errors] { FileManager.default.createFile(atPath: path, contents: nil) }
    process.standardOutput = try #require(FileHandle(forWritingAtPath: output))
    process.standardError = try #require(FileHandle(forWritingAtPath: errors))
    process.standardInput = try #require(FileHandle(forReadingAtPath: stdin))
    try process.run()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationReason == .exit
        ? process.terminationStatus : 128 + process.terminationStatus,
      output: String(decoding: try Data(contentsOf: URL(fileURLWithPath: output)), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: URL(fileURLWithPath: errors)), as: UTF8.self))
  }
}

/// A folder of a test's own, removed with the value.
final class Scratch: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "imgcache-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  static func / (folder: Scratch, name: String) -> String { folder.path + "/" + name }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
