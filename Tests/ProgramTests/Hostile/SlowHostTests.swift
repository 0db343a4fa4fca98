import Testing

@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport
@testable import ThumbnailServer

/// An allowed host whose responses take long.
@Suite(.needsProgram) struct `A slow host` {
  @Test(arguments: [([], 6), (["--concurrency", "6"], 3), (["--per-host", "100"], 32)])
  func `does not stop the other hosts of a server`(options: [String], share: Int) async throws {
    let gate = Gate()
    let slow = try FaultyOrigin()
    defer { slow.stop() }
    for number in 0..<100 { slow["/\(number)"] = [.held(FaultyOrigin.head(length: 9), gate)] }
    defer { gate.open() }
    let picture = SampleImages.widePhoto
    let fast = try FaultyOrigin(["/a.jpg": [.whole(picture)]])
    defer { fast.stop() }
    let program = try await ServeProgram(
      ["--allow-host", "127.0.0.1", "--allow-private-network", "--queue-time", "1s"] + options)
    func target(_ url: String) -> String { "/image?url=\(QueryPairs.encoded(url))" }

    let waiting = Task {
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<100 {
          group.addTask {
            _ = try? await program.exchange("GET", target(slow.url("/\(number)")))
          }
        }
      }
    }
    await Condition.until { slow.requests.count >= share }
    let answer = try await program.exchange("GET", target(fast.url("/a.jpg")))
    gate.open()
    await waiting.value
    #expect(try await program.stop() == 0)

    #expect(answer.status == 200)
    #expect(answer.body == picture)
  }
}
