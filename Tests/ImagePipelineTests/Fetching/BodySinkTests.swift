import Foundation
import HTTPTypes
import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `The receiver of a response's body` {
  private static let url = "https://example.org/a.jpg"
  private static let body = Array("0123456789abcdef".utf8)
  private static let whole: HTTPFields = [.eTag: "\"1\"", .contentLength: "16"]

  private func sink(
    _ store: (any PartialBodyStoring)?, maximum: Int = 100, _ watcher: Watcher? = nil
  ) -> BodySink {
    var sink = BodySink(url: Self.url, maximumByteCount: maximum, store: store, progress: watcher)
    sink.open(Self.url)
    return sink
  }

  private static func rest(_ start: Int) -> HTTPFields {
    [.eTag: "\"1\"", .contentRange: "bytes \(start)-15/16", .contentLength: "\(16 - start)"]
  }

  /// Records what it is shown; late, if it begins after some chunks.
  private final class Watcher: BodyWatching {
    private let seen = Locked((bytes: [UInt8](), lengths: [Int](), expected: Int?.none, starts: 0))
    private let late: Int

    init(late: Int = 0) { self.late = late }
    var bytes: [UInt8] { seen.withLock { $0.bytes } }
    var lengths: [Int] { seen.withLock { $0.lengths } }
    var expected: Int? { seen.withLock { $0.expected } }
    var starts: Int { seen.withLock { $0.starts } }

    func began(expectedByteCount: Int?) {
      seen.withLock { $0 = ([], [], expectedByteCount, $0.starts + 1) }
    }
    func grew(to byteCount: Int, bytes: (Int) -> [UInt8]) {
      seen.withLock { seen in
        if seen.lengths.count >= late { seen.bytes += bytes(seen.bytes.count) }
        seen.lengths.append(byteCount)
      }
    }
  }

  @Test func `keeps a short body in memory, also with a store`() throws {
    let store = MemoryPartialStore()
    var sink = sink(store)
    let body = try sink.finish(status: 200, fields: Self.whole, rest: Self.body)

    #expect(body.staged == nil)
    #expect(try body.bytes() == Self.body)
    #expect(store.bytes(of: Self.url) == nil)
  }

  @Test(arguments: [(15, 15), (17, nil)])
  func `refuses a continued body of another length, and keeps only a shorter one`(
    count: Int, kept: Int?
  ) throws {
    let store = MemoryPartialStore()
    store.keep(Array(Self.body[..<7]), of: Self.url, validator: "\"1\"", expectedByteCount: 16)
    var sink = sink(store)
    let rest = [UInt8](repeating: 0x78, count: count - 7)
    let error = imageError { try sink.finish(status: 206, fields: Self.rest(7), rest: rest) }

    #expect(error?.code == .shortBody)
    #expect(error?.message.contains("\(count) of 16 bytes") == true)
    #expect(store.bytes(of: Self.url)?.count == kept)
  }

  @Test(arguments: [(16, false), (15, true)])
  func `refuses a body above the limit, its prefix included`(maximum: Int, isRefused: Bool) throws {
    let store = MemoryPartialStore()
    store.keep(Array(Self.body[..<7]), of: Self.url, validator: "\"1\"")
    var sink = sink(store, maximum: maximum)
    var code: ImageError.Code?
    do {
      try sink.receive(status: 206, fields: Self.rest(7), bytes: Array(Self.body[7...]))
    } catch let error as ImageError {
      code = error.code
    }

    #expect(code == (isRefused ? .tooLarge : nil))
    #expect(store.bytes(of: Self.url) == (isRefused ? nil : Self.body))
  }

  @Test(arguments: 0...16)
  func `goes on in memory where the disk is full`(room: Int) throws {
    var sink = sink(MemoryPartialStore(room: room))
    for byte in Self.body.dropLast() {
      try sink.receive(status: 200, fields: Self.whole, bytes: [byte])
    }
    let body = try sink.finish(status: 200, fields: Self.whole, rest: [Self.body[15]])

    #expect(try body.bytes() == Self.body)
    #expect((body.staged != nil) == (room == 16))
  }

  @Test(arguments: [0, 1, 3], [false, true])
  func `shows its watcher every byte once and in order, also one that begins late`(
    late: Int, isStored: Bool
  ) throws {
    let watcher = Watcher(late: late)
    var sink = sink(isStored ? MemoryPartialStore() : nil, watcher)
    for start in stride(from: 0, to: 16, by: 4) {
      try sink.receive(
        status: 200, fields: Self.whole, bytes: Array(Self.body[start..<(start + 4)]))
    }
    _ = try sink.finish(status: 200, fields: Self.whole, rest: [])

    #expect(watcher.bytes == Self.body)
    #expect(watcher.lengths == [4, 8, 12, 16])
    #expect(watcher.expected == 16)
    #expect(watcher.starts == 1)
  }

  @Test func `shows its watcher nothing of another response`() throws {
    let watcher = Watcher()
    var sink = sink(nil, watcher)
    try sink.receive(status: 500, fields: [:], bytes: Self.body)

    #expect(watcher.starts == 0)
    #expect(watcher.bytes == [])
    #expect(!BodySink(url: Self.url, maximumByteCount: 1, store: nil).wantsChunks)
    #expect(sink.wantsChunks)
  }

  /// Transfers that break at random places, in chunks of random lengths.
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `puts a body together from any number of broken transfers`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    let whole = (0..<(1 + random(200))).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let store = MemoryPartialStore()
    var result: [UInt8]?
    for _ in 0..<500 where result == nil {
      var sink = sink(store, maximum: 1000)
      let start = sink.prefixByteCount
      #expect(store.bytes(of: Self.url) ?? [] == Array(whole[..<start]), "seed \(seed)")
      let fields: HTTPFields =
        start == 0
        ? [.eTag: "\"1\"", .contentLength: "\(whole.count)"]
        : [.eTag: "\"1\"", .contentRange: "bytes \(start)-\(whole.count - 1)/\(whole.count)"]
      let status = start == 0 ? 200 : 206
      let end = start + random(whole.count - start + 1)
      var position = start
      while position < end, random(4) > 0 {
        let next = min(end, position + 1 + random(20))
        try sink.receive(status: status, fields: fields, bytes: Array(whole[position..<next]))
        position = next
      }
      if end == whole.count {
        result = try sink.finish(status: status, fields: fields, rest: Array(whole[position...]))
          .bytes()
      } else {
        // What is kept may not reach the end: nothing would be left to request.
        sink.keep(status: status, fields: fields, rest: Array(whole[position..<end]))
      }
    }

    #expect(result == whole, "seed \(seed)")
    #expect(store.openCount == 0, "seed \(seed)")
  }
}
