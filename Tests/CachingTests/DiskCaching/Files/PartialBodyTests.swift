import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `The head of a partial body`: OnDisk {
  let folder = CacheFolder()
  private let url = "https://a.org/x"

  private func bodies(_ files: any FileSystem = POSIXFileSystem()) throws -> any PartialBodyStoring
  {
    try open(files).partialBodies.store
  }

  /// Leaves three bytes of ten.
  private func leave(expectedByteCount: Int? = 10) throws {
    let partial = try #require(try bodies().openPartial(for: url))
    try partial.restart(validator: "\"1\"", expectedByteCount: expectedByteCount)
    try partial.append(([1, 2, 3] as [UInt8]).span.bytes)
  }

  private var headURL: URL {
    let name = files(under: "partial").first { $0.hasSuffix(".head") } ?? "none"
    return URL(fileURLWithPath: path("partial/\(name)"))
  }

  private func head() throws -> [String] {
    String(decoding: try Data(contentsOf: headURL), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private func write(head lines: [String]) throws {
    try Data(lines.joined(separator: "\n").utf8).write(to: headURL)
  }

  @Test func `is the validator, the length of the whole and the boot, a line each`() throws {
    try leave()

    #expect(try head() == ["\"1\"", "10", "\(BootIdentity.current)", ""])
    #expect(files(under: "partial").count == 2)
  }

  @Test func `has a dash for an unknown length, and is gone with a body that is discarded`() throws
  {
    try leave(expectedByteCount: nil)

    #expect(try head()[1] == "-")
    do {
      let partial = try #require(try bodies().openPartial(for: url))
      #expect(partial.expectedByteCount == nil && partial.byteCount == 3)
      partial.discard()
    }
    #expect(files(under: "partial") == [])
    #expect(try bodies().openPartial(for: url)?.validator == nil)
  }

  @Test(
    arguments: [
      (0, ""), (1, "2"), (1, "-3"), (2, "1"), (2, "x"), (2, ""), (3, "more"), (0, nil), (1, nil),
      (2, nil),
    ] as [(Int, String?)])
  func `with another line, or cut off before it, ends the prefix`(line: Int, text: String?) throws {
    try leave()
    var lines = try head()
    if let text { lines[line] = text } else { lines = Array(lines.prefix(line)) }
    if line == 3 { lines.append("") }
    try write(head: lines)

    let partial = try #require(try bodies().openPartial(for: url))

    #expect(partial.byteCount == 0)
    #expect(partial.validator == nil && partial.expectedByteCount == nil)
    try partial.append(([9] as [UInt8]).span.bytes)
    #expect(try partial.contents() == [9])
  }

  @Test func `has the mark of the credentials, with which alone it is continued`() throws {
    let own: HTTPFields = [.cookie: "s3cret"]
    func leave(sentWith credentials: HTTPFields) throws {
      let partial = try #require(try bodies().openPartial(for: url, sentWith: credentials))
      #expect(partial.byteCount == 0)
      try partial.restart(validator: "\"1\"", expectedByteCount: 10)
      try partial.append(([1, 2, 3] as [UInt8]).span.bytes)
    }
    try leave(sentWith: own)
    let lines = try head()
    #expect(lines.count == 5 && lines[3].utf8.count == 32)
    #expect(try bodies().openPartial(for: url, sentWith: own)?.byteCount == 3)

    try leave(sentWith: [:])
    #expect(try bodies().openPartial(for: url)?.byteCount == 3)
    try leave(sentWith: [.authorization: "s3cret"])
    try leave(sentWith: own)

    #expect(try head() == lines)
    #expect(files(under: "partial").count == 2)
  }

  @Test func `of 64 KiB or more is not read`() throws {
    try leave()
    var lines = try head()
    lines[0] = "\"" + String(repeating: "1", count: 65_536) + "\""
    try write(head: lines)

    #expect(try bodies().openPartial(for: url)?.byteCount == 0)
  }

  @Test func `is of a prefix, so a body as long as the whole is resumed and a longer one is not`()
    throws
  {
    try leave(expectedByteCount: 3)
    do {
      let partial = try #require(try bodies().openPartial(for: url))
      #expect(partial.byteCount == 3)
      try partial.append(([4] as [UInt8]).span.bytes)
    }

    #expect(try bodies().openPartial(for: url)?.byteCount == 0)
  }

  @Test func `is gone when a body without a validator begins`() throws {
    try leave()
    do {
      let partial = try #require(try bodies().openPartial(for: url))
      #expect(partial.byteCount == 3)
      try partial.restart(validator: nil, expectedByteCount: 7)
      #expect(partial.byteCount == 0 && partial.expectedByteCount == 7)
      try partial.append(([5] as [UInt8]).span.bytes)
    }

    #expect(try !bodies().keepsPartial(of: url))
    #expect(try bodies().openPartial(for: url)?.byteCount == 0)
  }

  @Test func `that cannot be written is an error, and nothing is resumed`() throws {
    let files = FaultyFileSystem()
    let bodies = try bodies(files)
    do {
      let partial = try #require(try bodies.openPartial(for: url))
      files.set(.init(call: 1, number: ENOSPC, lasts: true, only: "write"))
      let error = #expect(throws: ImageError.self) {
        try partial.restart(validator: "\"1\"", expectedByteCount: 10)
      }
      #expect(error?.code == .diskFull)
      files.set(.init())
    }

    #expect(!bodies.keepsPartial(of: url))
    #expect(try bodies.openPartial(for: url)?.validator == nil)
  }

  @Test func `of another process that went on in the meantime is followed`() throws {
    let (bodies, others) = (try bodies(), try self.bodies())
    do {
      let partial = try #require(try bodies.openPartial(for: url))
      try partial.restart(validator: "\"1\"", expectedByteCount: 4)
      try partial.append(([1, 2] as [UInt8]).span.bytes)
    }
    do {
      let partial = try #require(try others.openPartial(for: url))
      try partial.restart(validator: "\"2\"", expectedByteCount: 4)
      try partial.append(([7, 8] as [UInt8]).span.bytes)
    }

    let partial = try #require(try bodies.openPartial(for: url))
    #expect(partial.validator == "\"2\"" && partial.byteCount == 2)
    try partial.append(([9] as [UInt8]).span.bytes)

    #expect(try FetchedBody(partial.finish()).bytes() == [7, 8, 9])
  }
}

@Suite struct `Partial bodies`: OnDisk {
  let folder = CacheFolder()
  let url = "https://example.com/a.jpg"

  func store() throws -> any PartialBodyStoring { try open().partialBodies.store }

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
      let partial = try #require(try cache.partialBodies.store.openPartial(for: url))
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
    let held = try #require(try cache.partialBodies.store.openPartial(for: "held"))
    try held.restart(validator: "\"1\"", expectedByteCount: nil)
    try held.append(body.span.bytes)

    for number in 0..<40 {
      let partial = try #require(try cache.partialBodies.store.openPartial(for: "\(number)"))
      try partial.restart(validator: "\"1\"", expectedByteCount: nil)
      try partial.append(body.span.bytes)
    }

    #expect(AllocatedSize.byteCount(of: path("partial")) < 1_300_000)
    #expect(cache.partialBodies.store.keepsPartial(of: "39"))
    #expect(try held.contents() == body)
    #expect(cache.partialBodies.store.keepsPartial(of: "held"))
  }
}
