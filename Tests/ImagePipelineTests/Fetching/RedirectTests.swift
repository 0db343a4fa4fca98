import HTTPTypes
import Testing

@testable import ImageFeeds
@testable import ImageFetching
@testable import TestSupport

@Suite struct `A redirect` {
  private func redirect(to place: String, status: Int = 302) -> FaultyOrigin.Answer {
    .whole([], status: status, fields: ["Location: \(place)"])
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func `is followed and counted as a request`(status: Int) async throws {
    let origin = try FaultyOrigin([
      "/a/b": [redirect(to: "../c?d=1", status: status)], "/c": [.whole(Array("here".utf8))],
    ])

    let response = try await FetcherFixture().fetch(origin.url("/a/b"))

    #expect(response.body.text == "here")
    #expect(response.head.url == origin.url("/c?d=1"))
    #expect(response.requestCount == 2)
  }

  @Test func `chain of the maximum length is followed, a longer one is not`() async throws {
    let origin = try FaultyOrigin(["/10": [.whole([1])]])
    for number in 0..<10 { origin["/\(number)"] = [redirect(to: "/\(number + 1)")] }
    let fixture = try FetcherFixture()

    let response = try await fixture.fetch(origin.url("/0"))
    let error = await fixture.failure(of: origin.url("/0")) { $0.limits.maximumRedirectCount = 9 }

    #expect(response.requestCount == 11)
    #expect(error?.code == .tooManyRedirects)
  }

  @Test func `to another origin drops credentials, one to the same origin keeps them`() async throws
  {
    let other = try FaultyOrigin(["/far": [.whole([1])]])
    let origin = try FaultyOrigin([
      "/": [redirect(to: "/near")], "/near": [redirect(to: other.url("/far"))],
    ])
    let url = origin.url("/").replacing("http://", with: "http://me:secret@")

    _ = try await FetcherFixture().fetch(url) { $0.headers = [.cookie: "a=b", .accept: "x/y"] }

    let near = try #require(origin.requests.last)
    let far = try #require(other.requests.last)
    #expect(near["authorization"] == "Basic bWU6c2VjcmV0")
    #expect(near["cookie"] == "a=b")
    #expect(far["authorization"] == nil)
    #expect(far["cookie"] == nil)
    #expect(far["accept"] == "x/y")
  }

  @Test func `refused by the caller's rule says so, and no private address`() async throws {
    let other = try FaultyOrigin(["/b": [.whole([1])]])
    let origin = try FaultyOrigin(redirect(to: other.url("/b")))
    let fixture = try FetcherFixture { $0.mayRedirect = { _, _ in false } }

    let error = try #require(await fixture.failure(of: origin.url("/")))

    #expect(error.code == .redirectNotAllowed)
    #expect(error.message.hasPrefix("\(origin.url("/")) redirects to \(other.url("/b")), which "))
    #expect(!error.message.contains("private"))
    #expect(error.message.hasSuffix("which HTTPFetcher.Configuration.mayRedirect does not allow"))
    #expect(other.connectionCount == 0)
  }

  @Test func `to a private address is refused as such`() async throws {
    let origin = try FaultyOrigin(redirect(to: "http://10.0.0.1/b"))
    let fixture = try FetcherFixture { $0.hostGuard = HostGuard(exempting: [origin.url("/")]) }

    let error = try #require(await fixture.failure(of: origin.url("/")))

    #expect(error.code == .hostNotAllowed)
    #expect(error.message.contains("http://10.0.0.1/b leads to a private, loopback or reserved"))
    #expect(error.message.hasSuffix("; HostGuard.allowsPrivateNetworks permits it"))
  }

  @Test func `with a long body is followed`() async throws {
    let origin = try FaultyOrigin([
      "/": [
        .whole([UInt8](repeating: 1, count: 400_000), status: 302, fields: ["Location: /a"])
      ],
      "/a": [.whole(Array("here".utf8))],
    ])
    let store = MemoryPartialStore()

    let response = try await FetcherFixture(store: store).fetch(origin.url("/")) {
      $0.resumes = true
    }

    #expect(response.body.text == "here")
    #expect(store.openCount == 0)
  }
}

@Suite struct `A private address` {
  @Test func `is refused unless its host and port are exempt`() async throws {
    let origin = try FaultyOrigin(.whole([1]))

    let refusing = try FetcherFixture { $0.hostGuard = HostGuard() }
    let named = try FetcherFixture { $0.hostGuard = HostGuard(exempting: [origin.url("/x")]) }

    #expect(await refusing.failure(of: origin.url("/"))?.code == .hostNotAllowed)
    #expect(try await named.fetch(origin.url("/")).body.byteCount == 1)
    #expect(origin.requests.count == 1)
  }
}
