import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageFeeds
@testable import ImageModel
@testable import TestSupport
@testable import ThumbnailServer

/// A sustained load of many URLs, one in twenty of them hostile: the server stays available,
/// sends no wrong byte and leaks nothing. Full (200,000 requests, 2,000 URLs) with
/// `IMGCACHE_CAMPAIGN=full`.
@Suite(.needsProgram) struct `A server under sustained load` {
  private static let requestCount = CampaignSize.isFull ? 200_000 : 2_000
  private static let urlCount = CampaignSize.isFull ? 2_000 : 50
  private static let clientCount = 8
  private static let sizes = ["w=40&h=30", "w=64&h=64&fit=contain", "w=0&h=50&format=png"]

  /// Where it goes, and what came of it for all clients together.
  private final class Load: Sendable {
    let base: String
    let port: UInt16
    /// Responses by target.
    let bodies = Locked<[String: BlobHash]>([:])
    let wrong = Locked<[String]>([])

    init(base: String, port: UInt16) { (self.base, self.port) = (base, port) }

    /// A thumbnail of a URL, or of a path of the origin.
    func thumb(_ url: String, _ size: String = "w=40&h=30") -> String {
      "/thumb?url=\(QueryPairs.encoded(url.hasPrefix("/") ? base + url : url))&\(size)"
    }
  }

  @Test func `stays available, correct and within its memory`() async throws {
    let origin = try FaultyOrigin()
    defer { origin.stop() }
    let originals = try (0..<Self.urlCount).map { index in
      try ImageCodecs.encodeJPEG(SampleImages.gradient(160 + index % 40, 120, shift: index))
    }
    for (index, bytes) in originals.enumerated() {
      origin["/\(index).jpg"] = [.whole(bytes, fields: ["Cache-Control: max-age=86400"])]
    }
    try addHostile(to: origin, originals[0])
    let program = try await ServeProgram([
      "--allow-host", "127.0.0.1", "--allow-private-network", "--max-time", "10", "--timeout", "10",
      "--retries", "0", "--head-time", "10s", "--write-time", "10s", "--max-bytes", "4MiB",
      "--memory", "8MiB",
    ])
    let load = Load(base: origin.url(""), port: program.port)

    try await run(load, 0..<Self.requestCount / 4)
    let before = try Footprint(of: program.child.pid)
    try await run(load, Self.requestCount / 4..<Self.requestCount)
    await Condition.until {
      (try? Footprint(of: program.child.pid).descriptors) ?? .max <= before.descriptors + 16
    }
    let after = try Footprint(of: program.child.pid)
    let health = try await program.exchange("GET", "/healthz")

    #expect(try await program.stop() == 0 && health.status == 200)
    #expect(load.wrong.withLock { $0 } == [])
    try checkBytes(load, originals)
    #expect(after.descriptors <= before.descriptors + 16)
    #expect(
      after.residentByteCount <= before.residentByteCount * 5 / 4 + 24 << 20,
      "\(before) \(after)")
  }

  private func addHostile(to origin: FaultyOrigin, _ picture: [UInt8]) throws {
    var bomb = try ImageCodecs.encodePNG(SampleImages.flat(8, 8, [0, 0, 0, 255]))
    bomb[18...19] = [0xFF, 0xFF]
    bomb[22...23] = [0xFF, 0xFF]
    origin["/bomb.png"] = [.whole(bomb)]
    origin["/half.jpg"] = [.whole(Array(picture.prefix(picture.count / 2)))]
    origin["/short.jpg"] = [.raw(FaultyOrigin.head(length: picture.count) + picture.prefix(100))]
    origin["/reset.jpg"] = [.rawThenReset(FaultyOrigin.head(length: picture.count))]
    origin["/endless.jpg"] = [.endless]
    origin["/text.jpg"] = [.whole(Array("<html>".utf8))]
    origin["/loop.jpg"] = [.whole([], status: 302, fields: ["Location: /loop.jpg"])]
  }

  /// Hostile requests, and the permitted statuses for them.
  private static func hostile(_ index: Int, _ load: Load) -> (target: String, statuses: Set<Int>) {
    let rows: [(String, Set<Int>)] = [
      ("/thumb?w=1", [400]), (load.thumb("/0.jpg") + "&w=2", [400]), ("/thumb?url=%zz&w=1", [400]),
      (load.thumb("http://10.0.0.1/x.jpg"), [403]), (load.thumb("http://169.254.169.254/"), [403]),
      (load.thumb("file:///etc/passwd"), [400]), (load.thumb("/bomb.png"), [413, 422]),
      (load.thumb("/half.jpg"), [422]), (load.thumb("/short.jpg"), [502, 504]),
      (load.thumb("/reset.jpg"), [502, 504]), (load.thumb("/text.jpg"), [415]),
      (load.thumb("/loop.jpg"), [502]), (load.thumb("/gone.jpg"), [404]),
      (load.thumb("/endless.jpg"), [413, 504]), ("/nothing", [404]),
      ("/image?url=" + String(repeating: "a", count: 9000), [414]),
    ]
    return rows[index % rows.count]
  }

  private func run(_ load: Load, _ range: Range<Int>) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<Self.clientCount {
        group.addTask {
          try await OffPool.run {
            let first = range.lowerBound + client
            var random = SplitMix64(seed: UInt64(first))
            let connection = KeptConnection(port: load.port)
            for index in stride(from: first, to: range.upperBound, by: Self.clientCount) {
              try Self.one(index, load, connection, &random)
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func one(
    _ index: Int, _ load: Load, _ connection: KeptConnection, _ random: inout SplitMix64
  ) throws {
    if index % 100 == 7 { return try leaveHalfway(index, load) }
    if index % 20 == 7 {
      let (target, statuses) = hostile(index / 20, load)
      let status = try connection.exchange("GET", target).status
      if !statuses.contains(status) && status != 503 {
        load.wrong.withLock { $0.append("\(status) \(target.prefix(80))") }
      }
      return
    }
    // A few are requested often, most of them seldom.
    let draw = Double(random.next() >> 11) / Double(1 << 53)
    let size = sizes[Int(random.next() % UInt64(sizes.count))]
    let target = load.thumb("/\(Int(Double(urlCount) * draw * draw)).jpg", size)
    let answer = try connection.exchange("GET", target)
    guard answer.status == 200 else {
      if answer.status != 503 { load.wrong.withLock { $0.append("\(answer.status) \(target)") } }
      return
    }
    let hash = answer.body.withUnsafeBytes { SHA256.hash(of: $0) }
    let isSame = load.bodies.withLock { bodies in
      defer { bodies[target] = hash }
      return bodies[target].map { $0 == hash } ?? true
    }
    if !isSame { load.wrong.withLock { $0.append("other bytes: \(target)") } }
  }

  /// Slow heads, half-closed connections, and clients that disconnect before their response.
  private static func leaveHalfway(_ index: Int, _ load: Load) throws {
    let client = try RawClient(port: load.port)
    let thumb = load.thumb("/endless.jpg", "w=\(index % 50 + 10)")
    switch index / 100 % 4 {
    case 0: client.send("GET /thumb?url=")
    case 1: client.send("GET \(thumb) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    case 2:
      client.send("GET /stats HTTP/1.1\r\nHost: localhost\r\n\r\n")
      client.endSending()
      _ = client.readToEnd()
    default: client.send("\u{16}\u{3}\u{1} hello\r\n\r\n")
    }
    client.end()
  }

  /// Responses equal what the codecs make of the originals.
  private func checkBytes(_ load: Load, _ originals: [[UInt8]]) throws {
    let answered = load.bodies.withLock { $0 }
    #expect(answered.count > Self.urlCount)
    for (target, hash) in answered {
      let wanted = try ThumbnailParameters.thumbnail(
        QueryPairs(target: target), accepting: .any, rules: ThumbnailRules())
      let index = try #require(Int(wanted.url.dropFirst(load.base.count + 1).dropLast(4)))
      let recipe = try #require(wanted.recipe)
      let original = originals[index]
      let made = try ImageCodecs.thumbnail(of: original.span.bytes, recipe: recipe)
      #expect(made.bytes.withUnsafeBytes { SHA256.hash(of: $0) } == hash, "\(target)")
    }
  }
}

/// The resources of a process.
private struct Footprint {
  let descriptors: Int
  let residentByteCount: Int

  init(of pid: pid_t) throws {
    descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    let pages =
      try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
      .split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    residentByteCount = pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  }
}
