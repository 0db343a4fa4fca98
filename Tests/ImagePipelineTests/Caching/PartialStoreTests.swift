import Foundation
import Testing

@testable import ImagePipeline

@Suite struct `Partial bodies` {
  let directory = TemporaryDirectory()
  let url = "https://example.com/a.jpg"

  func store() throws -> any PartialBodyStoring {
    try DiskCache(DiskCache.Configuration(directory: directory.path("cache"))).partialBodies
  }

  @Test func `a beginning waits for the next process, over repeated interruptions (76, 81, 82)`()
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

    let path = try partial.finish()

    #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3, 4, 5, 6]))
    #expect(try store().openPartial(for: url)?.byteCount == 0)
  }

  @Test func `only one holder has a URL at a time`() throws {
    let store = try store()
    var first = try store.openPartial(for: url)

    #expect(first != nil)
    #expect(try store.openPartial(for: url) == nil)
    #expect(try store.openPartial(for: url + "x") != nil)
    first = nil
    #expect(try store.openPartial(for: url) != nil)
  }

  @Test func `another version begins from nothing (77)`() throws {
    let partial = try #require(try store().openPartial(for: url))
    try partial.restart(validator: "\"1\"", expectedByteCount: nil)
    try partial.append(([1, 2, 3] as [UInt8]).span.bytes)

    try partial.restart(validator: "\"2\"", expectedByteCount: nil)
    try partial.append(([9] as [UInt8]).span.bytes)

    #expect(try partial.contents() == [9])
    #expect(partial.validator == "\"2\"")
  }

  @Test func `a discarded beginning is gone (80)`() throws {
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

  @Test func `beginnings that nothing continues do not pile up`() throws {
    let folder = TemporaryDirectory()
    var configuration = DiskCache.Configuration(directory: folder.path("cache"))
    configuration.maximumByteCount = 4_000_000
    let cache = try DiskCache(configuration)
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
