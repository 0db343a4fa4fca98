import Foundation
import Testing

@testable import DiskCaching
@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `The head of a partial body`: OnDisk {
  let folder = CacheFolder()
  private let url = "https://a.org/x"

  private func bodies(_ files: any FileSystem = POSIXFileSystem()) throws -> PartialBodies {
    try open(files).partialBodies
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
