import Foundation
@testable import TestSupport

/// The output of `imgcache prefetch --json`, parsed line by line.
struct PrefetchReport {
  let status: Int32
  let output: String
  let errors: String
  /// The records, one a line; a line cut off by a kill is left out.
  let records: [[String: Any]]

  init(_ outcome: Tool.Outcome) {
    status = outcome.status
    output = outcome.output
    errors = outcome.errors
    records = outcome.output.split(separator: "\n").compactMap {
      try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
  }

  /// The records of one kind.
  func records(_ event: String) -> [[String: Any]] {
    records.filter { $0["event"] as? String == event }
  }

  var images: [[String: Any]] { records("image") }
  var urls: [String] { images.compactMap { $0["url"] as? String } }
  var failed: [[String: Any]] { images.filter { $0["status"] as? String == "failed" } }
  var summary: [String: Any] { records("summary").last ?? [:] }

  /// The stable codes of the images that failed, by URL.
  var codes: [String: String] {
    var codes: [String: String] = [:]
    for record in failed {
      guard let url = record["url"] as? String else { continue }
      codes[url] = (record["error"] as? [String: Any])?["code"] as? String ?? "(no code)"
    }
    return codes
  }

  /// The stable codes of all records that name an error.
  var errorCodes: [String] {
    records.compactMap { ($0["error"] as? [String: Any])?["code"] as? String }
  }
}

extension Tool {
  /// Runs `prefetch` with a new cache.
  static func prefetch(
    _ cache: Scratch, _ arguments: [String], input: String = ""
  ) async throws -> PrefetchReport {
    PrefetchReport(
      try await imgcache.run(
        ["prefetch", "--json", "--cache-dir", cache / "cache"] + arguments, input: Array(input.utf8)
      ))
  }

  /// Runs a command on the cache of a folder.
  static func run(
    _ arguments: [String], cache: Scratch, in folder: String? = nil
  ) async throws -> Outcome {
    try await imgcache.run(arguments + ["--cache-dir", cache / "cache"], in: folder)
  }

  /// The paths of the originals of URLs in the cache; `nil` when one is missing.
  static func paths(of urls: [String], in cache: Scratch) async throws -> [String]? {
    let outcome = try await run(["path"] + urls, cache: cache)
    return outcome.status == 0 ? outcome.output.split(separator: "\n").map(String.init) : nil
  }

  /// Starts it, waits for a moment, and kills it if it still runs.
  func run(_ arguments: [String], killedAt moment: () async throws -> Void) async throws -> Outcome
  {
    let scratch = try Scratch()
    let process = try start(arguments, writingTo: scratch)
    try await moment()
    process.signal(SIGKILL)
    let status = try await process.end()
    let output = try Data(contentsOf: URL(fileURLWithPath: scratch / "output"))
    return Outcome(status: status, output: String(decoding: output, as: UTF8.self), errors: "")
  }
}
