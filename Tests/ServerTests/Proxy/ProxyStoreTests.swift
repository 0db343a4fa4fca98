import HTTPTypes
import Testing

@testable import CachingProxy
@testable import HTTPCaching
@testable import ImageModel
@testable import TestSupport

/// A store as a library user would write it: over another one, with its own names.
private final class PrefixedStore: StreamingResponseStore {
  private let store = MemoryProxyStore(maximumByteCount: 1 << 20)
  private let called = Locked<[String]>([])

  var calls: [String] { called.withLock { $0 } }

  private func record(_ call: String) { called.withLock { $0.append(call) } }

  func entries(for url: String, request: HTTPFields) -> [StreamingEntry] {
    store.entries(for: "own:" + url, request: request)
  }

  func update(
    _ entry: StreamingEntry, as response: StoredResponse, for url: String
  ) -> StreamingEntry {
    record("update")
    return store.update(entry, as: response, for: "own:" + url)
  }

  func remove(_ entry: StreamingEntry, for url: String) {
    record("remove")
    store.remove(entry, for: "own:" + url)
  }

  func removeAll(for url: String) {
    record("removeAll")
    store.removeAll(for: "own:" + url)
  }

  func stage(byteCount: Int?) -> (any StagedResponse)? {
    record("stage")
    return store.stage(byteCount: byteCount).map { Staged(response: $0) }
  }

  func touch(_ entry: StreamingEntry, for url: String) {
    record("touch")
    store.touch(entry, for: "own:" + url)
  }

  private struct Staged: StagedResponse {
    let response: any StagedResponse

    func append(_ bytes: [UInt8]) throws { try response.append(bytes) }
    func read(at offset: Int, count: Int) throws -> [UInt8] {
      try response.read(at: offset, count: count)
    }
    func commit(_ stored: StoredResponse, for url: String) throws {
      try response.commit(stored, for: "own:" + url)
    }
  }
}

@Suite struct `A proxy with a custom store` {
  @Test func `serves from it, revalidates in it, and removes from it`() async throws {
    let store = PrefixedStore()
    let body = Array("body".utf8)
    let origin = try FaultyOrigin([
      "/a": [
        .whole(body, fields: ["Cache-Control: max-age=10", "ETag: \"1\""]),
        .whole([], status: 304, fields: ["Cache-Control: max-age=10", "ETag: \"1\""]),
        .whole([], status: 204), .whole(body, fields: ["Cache-Control: max-age=10"]),
      ]
    ])
    let clock = ManualClock()
    let proxy = try await ProxyFixture(origin: origin.url(""), storage: .store(store), clock: clock)

    let first = try proxy.get("/a")
    let second = try proxy.get("/a")
    clock.advance(by: 11)
    let third = try proxy.get("/a")
    let post = try proxy.exchange("POST", "/a", body: "x")
    let last = try proxy.get("/a")

    #expect([first, second, third, last].map(\.body) == [body, body, body, body])
    #expect(post.status == 204)
    #expect(second["cache-status"] == "imgcache; hit; ttl=10")
    #expect(third["cache-status"]?.contains("fwd-status=304") == true)
    #expect(origin.requests.count == 4)
    #expect(store.calls == ["stage", "update", "removeAll", "stage"])
  }
}
