import Foundation
import Testing

@testable import ImageFetching
@testable import ThumbnailServer
@testable import TestSupport

/// Bodies that become far longer than the limit where they are decoded.
@Suite struct `A compressed body` {
  /// 200 MB of zeros, compressed so many times.
  private static func bomb(layers: Int) async throws -> [UInt8] {
    var command = "head -c 200000000 /dev/zero"
    for _ in 0..<layers { command += " | gzip -c" }
    let scratch = try Scratch()
    let program = try Tool(path: "sh").start(["-c", command], writingTo: scratch)
    #expect(try await program.end() == 0)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch / "output")))
  }

  private static func answer(_ layers: Int) async throws -> FaultyOrigin.Answer {
    let coding = Array(repeating: "gzip", count: layers).joined(separator: ", ")
    return .whole(try await bomb(layers: layers), fields: ["Content-Encoding: \(coding)"])
  }

  @Test(arguments: [1, 3])
  func `beyond the limit is too large, however often it was compressed`(layers: Int) async throws {
    let origin = try FaultyOrigin(["/": [try await Self.answer(layers)]])
    let store = MemoryPartialStore()

    let error = try await FetcherFixture(store: store).failure(of: origin.url("/")) {
      $0.resumes = true
    }

    #expect(error?.code == .tooLarge)
  }

  @Test func `beyond the limit is 413 in a server`() async throws {
    let server = try await ServerFixture(
      ["/a.jpg": [try await Self.answer(2)]], files: FaultyFileSystem())

    let answer = try await server.get(server.image("/a.jpg"))

    #expect(answer.status == 413)
    #expect(answer.text.contains("\"too_large\""))
  }

  @Test func `within the limit is whole where it is handed over in parts`() async throws {
    let text = [UInt8](repeating: 65, count: 3_000_000)
    let zipped = try await `An origin with an ambiguous length`.gzip(text)
    let origin = try FaultyOrigin(["/": [.whole(zipped, fields: ["Content-Encoding: gzip"])]])

    let response = try await FetcherFixture(store: MemoryPartialStore()).fetch(origin.url("/")) {
      $0.resumes = true
    }

    #expect(try response.body.bytes() == text)
  }
}
