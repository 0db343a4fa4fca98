import Dispatch
import Foundation
import Testing
@testable import TestSupport

/// The recorded days over HTTP, served by the replay script outside the repository.
final class ReplayOrigin: Sendable {
  let port: UInt16
  private let process: ChildProcess

  /// Starts it.
  ///
  /// - Parameters:
  ///   - latest: The recorded day that is the newest.
  ///   - faults: Rules of the script, as JSON.
  init(latest: String? = nil, faults: String? = nil) throws {
    let folder = try Scratch()
    var arguments = [
      SharedFixtures.path("origin/replay.py"), "--data", SharedFixtures.path("zhihu"),
      "--port", "0",
    ]
    if let latest { arguments += ["--latest", latest] }
    if let faults {
      try Data(faults.utf8).write(to: URL(fileURLWithPath: folder / "faults.json"))
      arguments += ["--faults", folder / "faults.json"]
    }
    // One line, printed when it listens and has read its rules; read from a pipe with a name.
    // The reader is opened first, or the child would wait for it before it starts.
    try #require(mkfifo(folder / "line", 0o600) == 0)
    let reader = open(folder / "line", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    try #require(reader >= 0)
    let pipe = FileHandle(fileDescriptor: reader, closeOnDealloc: true)
    process = try ChildProcess("python3", arguments, output: folder / "line")
    _ = fcntl(reader, F_SETFL, 0)
    var line = ""
    while !line.hasSuffix("\n") {
      let piece = pipe.availableData
      guard !piece.isEmpty else { break }
      line += String(decoding: piece, as: UTF8.self)
    }
    let digits = line.split(separator: ":").last?.prefix { $0.isNumber } ?? ""
    self.port = try #require(UInt16(digits), "the replay script did not start: \(line)")
  }

  var origin: String { "http://127.0.0.1:\(port)" }

  /// Ends it and waits until its port is free.
  func stop() { process.stop() }

  /// The body of an address of this origin.
  func get(_ url: String) throws -> [UInt8] {
    let path = url.hasPrefix(origin) ? String(url.dropFirst(origin.count)) : url
    return try exchange("GET", path)
  }

  /// The distinct images of a day's answer, counted by other code than the product's.
  func imageURLs(_ path: String) throws -> Set<String> {
    try RecordedDays.imageURLs(in: get("/api/4/news/\(path)"))
  }

  /// The images that were requested since the start or ``clearLog()``.
  func imageRequests() throws -> [String] {
    try get("/__log").split(separator: 0x0A).compactMap { line in
      let record = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      return record?["path"] as? String
    }.filter { !$0.hasPrefix("/api/") && !$0.hasPrefix("/__") }.map { origin + $0 }
  }

  func clearLog() throws { _ = try exchange("DELETE", "/__log") }

  private func exchange(_ method: String, _ target: String) throws -> [UInt8] {
    try RawClient(port: port).exchange(method, target, host: "127.0.0.1:\(port)").body
  }
}
