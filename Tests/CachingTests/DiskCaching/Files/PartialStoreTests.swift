import Foundation
import Testing

@testable import DiskCaching
@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Partial bodies`: OnDisk {
  let folder = CacheFolder()
  let url = "https://example.com/a.jpg"

  func store() throws -> PartialBodies { try open().partialBodies }

  @Test func `a partial body is resumed by the next process, over repeated interruptions`()
    throws
  {
    do {
      let partial = try #require(try store().openPartial(for: url))
      #expect(partial.validator == nil)
      try partial.restart(validator: "\"1\"", expectedByteCount: 6)
      try partial.append(([1, 2] as [UInt8]).span.bytes)
    }
    do {
      let partial = try #require(try store().openPartial(for: url))
      #expect(partial.validator == "\"1\"")
      #expect(partial.expectedByteCount == 6)
      #expect(partial.byteCount == 2)
      try partial.append(([3, 4] as [UInt8]).span.bytes)
    }
    let partial = try #require(try store().openPartial(for: url))
    try partial.append(([5, 6] as [UInt8]).span.bytes)
    #expect(try partial.contents() == [1, 2, 3, 4, 5, 6])

    let body = FetchedBody(partial.finish())

    #expect(try body.bytes() == [1, 2, 3, 4, 5, 6])
  }

  @Test func `a complete body that is not stored is removed with its last reference`() throws {
    func fetch() throws -> FetchedBody {
      let partial = try #require(try store().openPartial(for: url))
      try partial.restart(validator: "\"1\"", expectedByteCount: nil)
      try partial.append(([1, 2] as [UInt8]).span.bytes)
      return FetchedBody(partial.finish())
    }

    do { #expect(try fetch().bytes() == [1, 2]) }

    #expect(files(under: "partial") == [])
  }

  @Test func `a complete body can be read after it was stored, and after that failed`() throws {
    let cache = try open { $0.maximumByteCount = 2_000_000 }
    for count in [100_000, 3_000_000] {
      let bytes = [UInt8](repeating: 7, count: count)
      let partial = try #require(try cache.partialBodies.openPartial(for: url))
      try partial.append(bytes.span.bytes)
      let staged = try #require(partial.finish() as? StagedBlob)
      let record = record("a")

      if count < 2_000_000 {
        try cache.commit(staged, record)
      } else {
        #expect(throws: ImageError.self) { try cache.commit(staged, record) }
      }

      #expect(try FetchedBody(staged).bytes() == bytes)
    }
    #expect(files(under: "partial") == [])
  }

  @Test func `only one holder at a time has a URL`() throws {
    let store = try store()
    var first = try store.openPartial(for: url)

    #expect(first != nil)
    #expect(try store.openPartial(for: url) == nil)
    #expect(try store.openPartial(for: url + "x") != nil)
    first = nil
    #expect(try store.openPartial(for: url) != nil)
  }

  @Test func `partial bodies that nothing resumes do not accumulate`() throws {
    let cache = try open { $0.maximumByteCount = 4_000_000 }
    let body = [UInt8](repeating: 1, count: 100_000)
    let held = try #require(try cache.partialBodies.openPartial(for: "held"))
    try held.restart(validator: "\"1\"", expectedByteCount: nil)
    try held.append(body.span.bytes)

    for number in 0..<40 {
      let partial = try #require(try cache.partialBodies.openPartial(for: "\(number)"))
      try partial.restart(validator: "\"1\"", expectedByteCount: nil)
      try partial.append(body.span.bytes)
    }

    #expect(AllocatedSize.byteCount(of: path("partial")) < 1_300_000)
    #expect(cache.partialBodies.keepsPartial(of: "39"))
    #expect(try held.contents() == body)
    #expect(cache.partialBodies.keepsPartial(of: "held"))
  }
}
