import Foundation
import HTTPTypes
import Testing

@testable import CachingProxy
@testable import HTTPCaching

@Suite struct `The proxy's memory` {
  func answer(_ selection: String = "") -> StoredResponse {
    StoredResponse(
      status: 200, fields: [:], requestTime: Date(timeIntervalSince1970: 0),
      responseTime: Date(timeIntervalSince1970: 0), selection: selection)
  }

  func put(_ count: Int, _ url: String, in store: MemoryProxyStore) throws {
    let staged = try #require(store.stage(byteCount: count))
    try staged.append([UInt8](repeating: 1, count: count))
    try staged.commit(answer(), for: url)
  }

  @Test func `it stays within its limit, and evicts the least recently used`() throws {
    let store = MemoryProxyStore(maximumByteCount: 100_000)

    for index in 0..<50 {
      try put(10_000, "u\(index)", in: store)
      _ = store.entries(for: "u0", request: [:]).first?.open()
      #expect(store.byteCount <= 100_000)
    }

    #expect(store.entries(for: "u0", request: [:]).count == 1)
    #expect(store.entries(for: "u1", request: [:]).isEmpty)
    #expect(store.stage(byteCount: 50_000) == nil)
  }

  @Test func `replacing a response repeatedly leaves nothing behind`() throws {
    let store = MemoryProxyStore(maximumByteCount: 100_000)

    for _ in 0..<1000 { try put(100, "u", in: store) }

    #expect(store.entries(for: "u", request: [:]).count == 1)
    #expect(store.byteCount < 2000)
  }
}
