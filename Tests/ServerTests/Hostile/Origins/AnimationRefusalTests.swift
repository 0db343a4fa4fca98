import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

@Suite struct `Animations that cost a server too much` {
  @Test func `a server refuses one by its header, and requests it once`() async throws {
    let gif = HollowGIF.bytes(canvas: 2000, frame: 2000, count: 50)
    let server = try await ServerFixture(
      ["/bomb.gif": [.whole(gif, fields: ["Cache-Control: max-age=600"])]],
      loading: { $0.limits = .server })

    let first = try await server.get(server.thumb("/bomb.gif"))
    let second = try await server.get(server.thumb("/bomb.gif", "w=20&h=20"))

    #expect(first.status == 413)
    #expect(first.text.contains("limit_exceeded"))
    #expect(second.status == 413)
    #expect(server.origin.requests.count == 1)
  }
}
