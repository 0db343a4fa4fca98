import Foundation
import Testing

@testable import HTTPListening
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

/// Files of a directory as originals: `local://NAME/PATH`.
@Suite struct `A local file` {
  private struct Served {
    let server: ServerFixture
    let scratch: Scratch

    func get(_ url: String, _ route: String = "thumb", _ rest: String = "&w=40&h=30") async throws
      -> RawAnswer
    {
      try await server.get("/\(route)?url=\(QueryPairs.encoded(url))\(rest)")
    }

    func image(_ url: String) async throws -> RawAnswer { try await get(url, "image", "") }
  }

  private func served() async throws -> Served {
    let scratch = try Scratch()
    try scratch.write(SampleImages.widePhoto, to: "files/a/b c.jpg")
    try scratch.write(SampleImages.widePhoto, to: "outside.jpg")
    let folder = scratch / "files"
    let server = try await ServerFixture(
      fetching: { $0.localRoots = ["photos": folder] },
      serving: {
        $0.allowedRoots = ["photos"]
        $0.adminKeys = [SigningKey(name: nil, secret: Array("key".utf8))]
      })
    return Served(server: server, scratch: scratch)
  }

  @Test func `is served as an original and a thumbnail, with its time, tags and information`()
    async throws
  {
    let served = try await served()
    let url = "local://photos/a/b%20c.jpg"
    let modified = Date(timeIntervalSince1970: 1_600_000_000)
    try FileManager.default.setAttributes(
      [.modificationDate: modified], ofItemAtPath: served.scratch / "files/a/b c.jpg")

    let (image, thumbnail) = (try await served.image(url), try await served.get(url))
    let again = try await served.get(url)
    let information = try await served.get(url, "info", "")

    #expect(image.status == 200 && image.body == SampleImages.widePhoto)
    #expect(thumbnail.status == 200 && again.body == thumbnail.body)
    #expect(again["cache-status"] == "imgcache; hit; detail=memory")
    for answer in [image, thumbnail, again] {
      #expect(answer["last-modified"] == HTTPDate.format(modified))
      #expect(answer["cache-control"] == "no-cache")
      #expect(answer["cache-tag"]?.hasSuffix(" host-photos") == true)
    }
    #expect(information.status == 200 && information.text.contains("\"format\":\"jpeg\""))
    #expect(try await served.get(url, "image", "&x=1").status == 400)
  }

  @Test func `that changes is another original at once, and from memory after a second`()
    async throws
  {
    let served = try await served()
    let url = "local://photos/a.png"
    try served.scratch.write(SampleImages.widePhoto, to: "files/a.png")
    let first = try await served.get(url)
    try served.scratch.write(Array("not an image".utf8), to: "files/a.png")

    let other = try await served.get(url, "thumb", "&w=41")
    let remembered = try await served.get(url)
    served.server.clock.advance(by: 2)
    let broken = try await served.get(url)
    try served.scratch.write(SampleImages.widePhoto, to: "files/a.png")
    let mended = try await served.get(url)
    try FileManager.default.removeItem(atPath: served.scratch / "files/a.png")
    served.server.clock.advance(by: 2)
    let gone = try await served.get(url)
    try served.scratch.write(SampleImages.widePhoto, to: "files/a.png")
    let back = try await served.get(url)

    #expect(first.status == 200 && remembered.body == first.body)
    #expect(other.status == 415 && broken.status == 415)
    #expect(mended.status == 200 && mended.body == first.body)
    #expect(gone.status == 404 && gone.text.contains("origin_not_found"))
    #expect(back.status == 200)
  }

  @Test func `is purged by its URL and by the tag of its directory`() async throws {
    let served = try await served()
    let url = "local://photos/a/b%20c.jpg"
    let key = ["Authorization: Bearer key"]

    var removed: [Int] = []
    for target in ["/image?url=\(QueryPairs.encoded(url))", "/tags/host-photos"] {
      #expect(try await served.get(url).status == 200)
      removed.append(try await served.server.exchange("DELETE", target, key).status)
      #expect(try await served.get(url)["cache-status"] == "imgcache; fwd=miss")
    }

    #expect(removed == [200, 200])
  }

  @Test(arguments: [
    ("local://photos/absent.jpg", 404), ("local://photos/a/b%20c.jpg/d", 404),
    ("local://photos/a%252f", 404), ("local://photos/" + String(repeating: "n", count: 300), 404),
    ("local://photos/" + String(repeating: "n", count: 4096), 404),
    ("local://other/a.jpg", 403), ("local://photos/../outside.jpg", 403),
    ("local://photos/a/../../outside.jpg", 403), ("local://photos/%2e%2e/outside.jpg", 403),
    ("local://photos/.hidden.jpg", 403), ("local://photos/.", 403), ("local://photos/a", 403),
    ("local://photos/fifo", 403), ("local://photos/socket", 403), ("local://photos/loop", 403),
    ("local://photos/out.jpg", 403), ("local://photos/absolute.jpg", 403),
    ("local://photos/up/outside.jpg", 403), ("local://photos/large", 413),
    ("local://photos/empty", 502),
    ("local://photos//a/b%20c.jpg", 400), ("local://photos/a//b%20c.jpg", 400),
    ("local://photos/", 400), ("local://photos", 400), ("local:///a.jpg", 400), ("local://", 400),
    ("local:/photos/a.jpg", 400), ("LOCAL://photos/a.jpg", 400), ("local://photos/a%2fb", 400),
    ("local://photos/a%00", 400), ("local://photos/a\\b.jpg", 400), ("local://photos/a%5cb", 400),
    ("local://photos/a%zz", 400), ("local://photos/a?b", 400), ("local://photos/a#b", 400),
    ("local://photos/a%ff.jpg", 400), ("local://ph%6ftos/a.jpg", 400),
    ("local://user@photos/a.jpg", 400), ("file:///etc/passwd", 400),
  ])
  func `that is absent or not allowed is refused, without its place`(url: String, status: Int)
    async throws
  {
    let served = try await served()
    let scratch = served.scratch
    try scratch.write(SampleImages.widePhoto, to: "files/.hidden.jpg")
    try scratch.write([UInt8](), to: "files/empty")
    func link(_ name: String, _ target: String) throws {
      try FileManager.default.createSymbolicLink(
        atPath: scratch / "files/" + name, withDestinationPath: target)
    }
    try link("loop", "loop")
    try link("out.jpg", "../outside.jpg")
    try link("absolute.jpg", scratch / "outside.jpg")
    try link("up", "..")
    try #require(mkfifo(scratch / "files/fifo", 0o644) == 0)
    let socket = try OpenSocket(path: scratch / "files/socket")
    defer { socket.close() }
    try scratch.write([UInt8](), to: "files/large")
    try #require(truncate(scratch / "files/large", 5 << 30) == 0)

    let answer = try await served.image(url)

    #expect(answer.status == status, "\(answer.text)")
    #expect(!answer.text.contains("files") && !answer.text.contains("imgcache-test"))
  }

  @Test func `is found through a link that stays in its directory`() async throws {
    let served = try await served()
    try FileManager.default.createSymbolicLink(
      atPath: served.scratch / "files/in.jpg", withDestinationPath: "a/b c.jpg")
    try FileManager.default.createSymbolicLink(
      atPath: served.scratch / "files/folder", withDestinationPath: "a")

    #expect(try await served.image("local://photos/in.jpg").status == 200)
    #expect(try await served.image("local://photos/folder/b%20c.jpg").status == 200)
    #expect(try await served.image("local://photos/a/b c.jpg").status == 200)
  }

  @Test func `that is written while it is read is never served in part`() async throws {
    let served = try await served()
    let path = served.scratch / "files/busy.jpg"
    try served.scratch.write(SampleImages.widePhoto, to: "files/busy.jpg")
    let isDone = Locked(false)
    let writer = Task.detached {
      while !isDone.withLock({ $0 }) {
        // In place: the file is short for a moment.
        try? Data(SampleImages.widePhoto).write(to: URL(filePath: path))
        await Task.yield()
      }
    }

    var statuses: Set<Int> = []
    for number in 1...40 {
      let answer = try await served.get("local://photos/busy.jpg", "image", "")
      statuses.insert(answer.status)
      if answer.status == 200 { #expect(answer.body == SampleImages.widePhoto, "\(number)") }
      served.server.clock.advance(by: 2)
    }
    isDone.withLock { $0 = true }
    await writer.value

    #expect(statuses.isSubset(of: [200, 415, 422, 502]))
  }
}

/// A socket in the file system.
private struct OpenSocket {
  private let descriptor: Int32

  init(path: String) throws {
    let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    try #require(made >= 0 && bytes.count < 108)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    descriptor = made
  }

  func close() { _ = Glibc.close(descriptor) }
}
