import Foundation
import Testing

@testable import DiskCaching
@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `The head of a partial body` {
  private let directory = TemporaryDirectory()
  private let url = "https://a.org/x"

  private func bodies(_ files: any FileSystem = POSIXFileSystem()) throws -> PartialBodies {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.maximumByteCount = 16 << 20
    return try DiskStore(configuration, files: files).partialBodies
  }

  /// Leaves three bytes of ten.
  private func leave(expectedByteCount: Int? = 10) throws {
    let partial = try #require(try bodies().openPartial(for: url))
    try partial.restart(validator: "\"1\"", expectedByteCount: expectedByteCount)
    try partial.append(([1, 2, 3] as [UInt8]).span.bytes)
  }

  private var headURL: URL {
    let name = directory.files(under: "cache/partial").first { $0.hasSuffix(".head") } ?? "none"
    return URL(fileURLWithPath: directory.path("cache/partial/\(name)"))
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
    #expect(directory.files(under: "cache/partial").count == 2)
  }

  @Test func `has a dash for an unknown length`() throws {
    try leave(expectedByteCount: nil)

    #expect(try head()[1] == "-")
    let partial = try #require(try bodies().openPartial(for: url))
    #expect(partial.expectedByteCount == nil && partial.byteCount == 3)
  }

  @Test(arguments: [
    (0, ""), (1, "2"), (1, "-3"), (2, "1"), (2, "x"), (2, ""), (3, "more"),
  ])
  func `with another line ends the prefix`(line: Int, text: String) throws {
    try leave()
    var lines = try head()
    lines[line] = text
    if line == 3 { lines.append("") }
    try write(head: lines)

    let partial = try #require(try bodies().openPartial(for: url))

    #expect(partial.byteCount == 0)
    #expect(partial.validator == nil && partial.expectedByteCount == nil)
    try partial.append(([9] as [UInt8]).span.bytes)
    #expect(try partial.contents() == [9])
  }

  @Test(arguments: [0, 1, 2])
  func `that is cut off after some lines ends the prefix`(count: Int) throws {
    try leave()
    try write(head: Array(try head().prefix(count)))

    #expect(try bodies().openPartial(for: url)?.byteCount == 0)
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

  @Test func `is read by the same process as well`() throws {
    let bodies = try bodies()
    for round in 1...3 {
      let partial = try #require(try bodies.openPartial(for: url))
      if round == 1 { try partial.restart(validator: "\"1\"", expectedByteCount: 30) }
      #expect(partial.byteCount == 10 * (round - 1))
      try partial.append([UInt8](repeating: UInt8(round), count: 10).span.bytes)
    }

    let whole = FetchedBody(try #require(try bodies.openPartial(for: url)).finish())

    #expect(try whole.bytes() == (1...3).flatMap { [UInt8](repeating: $0, count: 10) })
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
