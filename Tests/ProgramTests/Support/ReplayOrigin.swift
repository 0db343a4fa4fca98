import Dispatch
import Foundation
import Testing
@testable import TestSupport

/// The recorded days over HTTP, served by the replay script outside the repository.
final class ReplayOrigin: Sendable {
  /// One received request.
  struct Request: Sendable {
    var path: String
    var headers: [String: String]

    var isForAnImage: Bool { !path.hasPrefix("/api/") && !path.hasPrefix("/__") }
  }

  let port: UInt16
  private let process: ChildProcess

  /// Starts it.
  ///
  /// - Parameters:
  ///   - latest: The recorded day that is the newest.
  ///   - port: 0 lets the system choose.
  ///   - faults: Rules of the script, as JSON.
  init(latest: String? = nil, port: UInt16 = 0, faults: String? = nil) throws {
    let folder = try Scratch()
    var arguments = [
      SharedFixtures.path("origin/replay.py"), "--data", SharedFixtures.path("zhihu"),
      "--port", String(port),
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
    return try RawClient.body(of: "GET", path, port: port)
  }

  /// The distinct images of a day's answer, counted by other code than the product's.
  func imageURLs(_ path: String) throws -> Set<String> {
    try RecordedDays.imageURLs(in: get("/api/4/news/\(path)"))
  }

  /// Every request since the start or ``clearLog()``.
  func requests() throws -> [Request] {
    try get("/__log").split(separator: 0x0A).map { line in
      let record = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
      return Request(
        path: record?["path"] as? String ?? "",
        headers: record?["headers"] as? [String: String] ?? [:])
    }
  }

  func imageRequests() throws -> [String] {
    try requests().filter(\.isForAnImage).map { origin + $0.path }
  }

  func clearLog() throws { _ = try RawClient.body(of: "DELETE", "/__log", port: port) }
}
