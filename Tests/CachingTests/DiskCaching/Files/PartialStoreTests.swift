import Foundation
import Testing

@testable import DiskCaching
@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Partial bodies` {
  let directory = TemporaryDirectory()
  let url = "https://example.com/a.jpg"

  func store() throws -> PartialBodies {
    try DiskStore(DiskCache.Configuration(directory: directory.path("cache"))).partialBodies
  }

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

    #expect(directory.files(under: "cache/partial") == [])
  }

  @Test func `a complete body can be read after it was stored, and after that failed`() throws {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.maximumByteCount = 2_000_000
    let cache = try DiskStore(configuration)
    for count in [100_000, 3_000_000] {
      let bytes = [UInt8](repeating: 7, count: count)
      let partial = try #require(try cache.partialBodies.openPartial(for: url))
      try partial.append(bytes.span.bytes)
      let staged = try #require(partial.finish() as? StagedBlob)
      let record = CacheRecord(key: .original(url: url), at: Date(timeIntervalSince1970: 1e9))

      if count < 2_000_000 {
        try cache.commit(staged, record)
        let path = try #require(cache.path(for: record.key))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o444)
      } else {
        #expect(throws: ImageError.self) { try cache.commit(staged, record) }
      }

      #expect(try FetchedBody(staged).bytes() == bytes)
    }
    #expect(directory.files(under: "cache/partial") == [])
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

  @Test func `another version starts from nothing`() throws {
    let partial = try #require(try store().openPartial(for: url))
    try partial.restart(validator: "\"1\"", expectedByteCount: nil)
    try partial.append(([1, 2, 3] as [UInt8]).span.bytes)

    try partial.restart(validator: "\"2\"", expectedByteCount: nil)
    try partial.append(([9] as [UInt8]).span.bytes)

    #expect(try partial.contents() == [9])
    #expect(partial.validator == "\"2\"")
  }

  @Test func `a discarded partial body is removed`() throws {
    do {
      let partial = try #require(try store().openPartial(for: url))
      try partial.restart(validator: "\"1\"", expectedByteCount: nil)
      try partial.append(([1] as [UInt8]).span.bytes)
      partial.discard()
    }

    #expect(directory.files(under: "cache/partial") == [])
    #expect(try store().openPartial(for: url)?.validator == nil)
  }

  @Test func `bytes without a validator are not trusted`() throws {
    do {
      let partial = try #require(try store().openPartial(for: url))
      try partial.append(([1, 2] as [UInt8]).span.bytes)
    }
    let partial = try #require(try store().openPartial(for: url))
    #expect(partial.byteCount == 0)
    try partial.append(([3] as [UInt8]).span.bytes)
    #expect(try partial.contents() == [3])
  }

  @Test func `partial bodies that nothing resumes do not accumulate`() throws {
    let folder = TemporaryDirectory()
    var configuration = DiskCache.Configuration(directory: folder.path("cache"))
    configuration.maximumByteCount = 4_000_000
    let cache = try DiskStore(configuration)
    let body = [UInt8](repeating: 1, count: 100_000)
    let held = try #require(try cache.partialBodies.openPartial(for: "held"))
    try held.restart(validator: "\"1\"", expectedByteCount: nil)
    try held.append(body.span.bytes)

    for number in 0..<40 {
      let partial = try #require(try cache.partialBodies.openPartial(for: "\(number)"))
      try partial.restart(validator: "\"1\"", expectedByteCount: nil)
      try partial.append(body.span.bytes)
    }

    #expect(AllocatedSize.byteCount(of: folder.path("cache/partial")) < 1_300_000)
    #expect(cache.partialBodies.keepsPartial(of: "39"))
    #expect(try held.contents() == body)
    #expect(cache.partialBodies.keepsPartial(of: "held"))
  }
}
