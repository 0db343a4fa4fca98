import Foundation
import HTTPTypes
import Testing

@testable import CachingProxy
@testable import DiskCaching
@testable import HTTPCaching
@testable import TestSupport

/// Many bodies that are on their way into a store at the same time.
@Suite struct `Bodies that are being stored` {
  private static let byteCount = 400_000

  private let folder: Scratch
  private let files = FaultyFileSystem()

  init() throws { folder = try Scratch() }

  private func cache() throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: folder / "cache")
    configuration.maximumByteCount = 2 << 20
    return try DiskCache(configuration, files: files)
  }

  private func store(_ kind: ProxyStorage.Kind) throws -> any StreamingResponseStore {
    switch kind {
    case .memory: MemoryProxyStore(maximumByteCount: 2 << 20)
    case .disk: try cache().streamingStore(profile: .proxy()) { _ in }
    }
  }

  @Test(arguments: ProxyStorage.Kind.allCases, [true, false])
  func `have one limit together, and their room again afterwards`(
    kind: ProxyStorage.Kind, isAnnounced: Bool
  ) throws {
    let store = try store(kind)
    let body = [UInt8](repeating: 7, count: Self.byteCount)
    for _ in 0..<3 {
      var staged: [any StagedResponse] = []
      for _ in 0..<20 {
        guard let one = store.stage(byteCount: isAnnounced ? body.count : nil) else { continue }
        if (try? one.append(body)) != nil { staged.append(one) }
      }

      #expect((1...5).contains(staged.count), "\(staged.count) of 400 kB with a limit of 2 MiB")
    }
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `count until the last client has read them, stored or not`(kind: ProxyStorage.Kind) throws {
    let store = try store(kind)
    let response = StoredResponse(
      status: 200, fields: [.cacheControl: "max-age=60"], requestTime: Date(), responseTime: Date())
    var staged: [any StagedResponse] = []
    for number in 0..<20 {
      guard let one = store.stage(byteCount: Self.byteCount) else { continue }
      try one.append([UInt8](repeating: UInt8(number), count: Self.byteCount))
      try one.commit(response, for: "http://a.test/\(number)")
      staged.append(one)
    }

    #expect((1...5).contains(staged.count))
    for one in staged {
      #expect(try one.read(at: 0, count: Self.byteCount).count == Self.byteCount)
    }
    staged = []
    #expect(store.stage(byteCount: Self.byteCount) != nil)
  }

  @Test func `in memory leave less room for what is stored`() throws {
    let store = MemoryProxyStore(maximumByteCount: 2 << 20)
    let response = StoredResponse(
      status: 200, fields: [:], requestTime: Date(), responseTime: Date())
    for number in 0..<10 {
      let one = try #require(store.stage(byteCount: Self.byteCount))
      try one.append([UInt8](repeating: 7, count: Self.byteCount))
      try one.commit(response, for: "u\(number)")
    }

    let staged = (0..<10).compactMap { _ in store.stage(byteCount: Self.byteCount) }

    #expect(store.byteCount + staged.count * Self.byteCount <= 2 << 20)
    #expect(!store.entries(for: "u9", request: [:]).isEmpty)
  }

  @Test func `beyond the limit of the directory are passed on whole and not stored`() async throws {
    let (gate, count) = (Gate(), 12)
    let body = [UInt8](repeating: 7, count: Self.byteCount)
    let origin = try FaultyOrigin(
      Dictionary(
        uniqueKeysWithValues: (0..<count).map { number in
          let head = FaultyOrigin.head(length: body.count, fields: ["Cache-Control: max-age=60"])
          return ("/\(number)", [.held(head + body.dropLast(), gate, [7])])
        }))
    let proxy = try await ProxyFixture(
      origin: origin.url(""), storage: .disk(try cache()), clock: ManualClock())

    let clients = try (0..<count).map { number in
      try proxy.client("GET /\(number) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    }
    await gate.arrivals(count)
    // Each has a head, and so either room or none.
    let starts = try await OffPool.run { clients.map { $0.read(until: "\r\n\r\n") } }
    gate.open()
    let rests = try await OffPool.run { clients.map { $0.readBytesToEnd() } }
    try await proxy.stop()

    let answers = try zip(starts, rests).map { try RawAnswer(Array($0.utf8) + $1) }
    #expect(answers.allSatisfy { $0.body == body && $0.isWhole })
    let storedCount = answers.count { $0["cache-status"]?.contains("stored") == true }
    #expect((1...5).contains(storedCount), "\(storedCount) of 400 kB with a limit of 2 MiB")
    #expect(files.writtenByteCount == storedCount * Self.byteCount)
  }
}
