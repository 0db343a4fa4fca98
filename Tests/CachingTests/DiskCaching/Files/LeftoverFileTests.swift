import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `Files without a writer` {
  private let folder: Scratch
  private let blobs: BlobStore
  private let now = 1_600_000_000

  init() throws {
    folder = try Scratch()
    blobs = BlobStore(
      directory: POSIXFileSystem().canonicalPath(of: folder.path), files: POSIXFileSystem(),
      synchronizes: false)
    try blobs.prepare()
  }

  /// Creates a file of so many bytes, written so many seconds ago.
  private func put(_ name: String, byteCount: Int = 1, age: Int) throws {
    let url = URL(fileURLWithPath: folder / name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(count: byteCount).write(to: url)
    let date = Date(timeIntervalSince1970: Double(now - age))
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
  }

  private func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder / name)
  }

  private func hash(_ digit: Character) -> String { String(repeating: digit, count: 64) }

  @Test func `in tmp are removed once they are older than a minute`() throws {
    try put("tmp/1x9z-7", age: 61)
    try put("tmp/00/abc-1", age: 61)
    try put("tmp/ff/abc-2", age: 60)

    let count = Leftovers(blobs: blobs).sweep(now: now)

    #expect(count == 2)
    #expect(!exists("tmp/1x9z-7") && !exists("tmp/00/abc-1"))
    #expect(exists("tmp/ff/abc-2"))
    // A folder that is empty then goes as well.
    #expect(!exists("tmp/00") && exists("tmp/ff"))
  }

  @Test(arguments: [EPERM, ENOENT])
  func `cost no writer its folder`(number: Int32) throws {
    let files = FaultyFileSystem(.init(call: 1, number: number, only: "create"))
    let faulty = BlobStore(directory: blobs.directory, files: files, synchronizes: false)

    let blob = try StagedBlob(in: faulty)
    try blob.append([1, 2, 3])

    #expect(files.faults == ["create"])
    #expect(blob.byteCount == 3)
  }

  @Test(.timeLimit(.minutes(2)))
  func `are collected beside writers without an error of theirs`() async throws {
    // Empty folders go at any time.
    let sweeper = RepeatingThread { [blobs] in _ = Leftovers(blobs: blobs).sweep(now: 0) }
    defer { sweeper.stop() }

    for number in 0..<(CampaignSize.isFull ? 20_000 : 2_000) {
      let blob = try StagedBlob(in: blobs)
      try blob.append([UInt8(truncatingIfNeeded: number)])
    }
  }

  @Test func `of other names are left alone`() throws {
    let names = [
      "tmp/letter", "tmp/a-b-1", "tmp/00/letter.txt", "tmp/folder/abc-1", "tmp/abc-1/letter",
      "partial/letter", "partial/\(hash("a")).old", "partial/\(hash("A"))", "letter",
    ]
    for name in names { try put(name, age: 30 * 86_400) }

    let count = Leftovers(blobs: blobs).sweep(now: now)

    #expect(count == 0)
    for name in names { #expect(exists(name), "\(name)") }
  }

  @Test func `in partial are removed once they are older than a week`() throws {
    let old = [hash("a"), hash("a") + ".head", hash("b") + ".head"]
    for name in old { try put("partial/\(name)", age: 7 * 86_400 + 1) }
    try put("partial/\(hash("e"))", age: 7 * 86_400)

    let count = Leftovers(blobs: blobs).sweep(now: now)

    #expect(count == 3)
    #expect(try blobs.files.names(in: blobs.directory + "/partial") == [hash("e")])
  }

  @Test func `stay while another writer has their lock`() throws {
    try put("tmp/abc-1", age: 3_600)
    let files = POSIXFileSystem()
    let file = try files.open(blobs.directory + "/tmp/abc-1", forWriting: true)
    #expect(try files.tryLock(file))

    #expect(Leftovers(blobs: blobs).sweep(now: now) == 0)
    files.close(file)

    #expect(Leftovers(blobs: blobs).sweep(now: now) == 1)
  }

  @Test func `in partial are removed with their heads, oldest first, until the rest fits`() throws {
    for (digit, age) in [("a", 50), ("b", 90), ("c", 10)] as [(Character, Int)] {
      try put("partial/\(hash(digit))", byteCount: 5_000, age: age)
      try put("partial/\(hash(digit)).head", byteCount: 10, age: age + 100)
    }

    // Each body counts as two blocks, each head as one.
    Leftovers(blobs: blobs).boundPartials(to: 6 * 4_096, count: 100)
    #expect(!exists("partial/\(hash("b"))") && !exists("partial/\(hash("b")).head"))
    #expect(exists("partial/\(hash("a"))") && exists("partial/\(hash("a")).head"))
    Leftovers(blobs: blobs).boundPartials(to: 100 * 4_096, count: 3)

    #expect(
      try blobs.files.names(in: blobs.directory + "/partial").sorted()
        == [hash("c"), hash("c") + ".head"])
  }

  @Test func `in partial that a transfer holds stay, and those behind it go`() throws {
    try put("partial/\(hash("a"))", byteCount: 5_000, age: 90)
    try put("partial/\(hash("b"))", byteCount: 5_000, age: 50)
    let files = POSIXFileSystem()
    let file = try files.open(blobs.directory + "/partial/\(hash("a"))", forWriting: true)
    defer { files.close(file) }
    #expect(try files.tryLock(file))

    Leftovers(blobs: blobs).boundPartials(to: 2 * 4_096, count: 100)

    #expect(exists("partial/\(hash("a"))") && !exists("partial/\(hash("b"))"))
  }

  @Test(arguments: [
    ("1x9z-7", true), ("0-0", true), ("abc-18446744073709551615", true), ("abc", false),
    ("abc-", false), ("-1", false), ("a-b", false), ("a-1-2", false), ("a_b-1", false), ("", false),
  ])
  func `are told by their names`(name: String, isTemporary: Bool) {
    #expect(TemporaryName.isOne(name) == isTemporary)
  }

  @Test func `have names of their own, in one of so many folders`() {
    let names = (0..<200).map { _ in TemporaryName.next(amongFolders: 8) }

    #expect(Set(names.map(\.name)).count == 200)
    #expect(names.allSatisfy { TemporaryName.isOne($0.name) && TemporaryName.isFolder($0.folder) })
    #expect(Set(names.map(\.folder)).isSubset(of: Set((0..<8).map { "0\($0)" })))
    #expect(TemporaryName.next(amongFolders: 0).folder == "00")
    let folders = ["00", "ff", "FF", "+1", "0", "000", "0g", ""].filter(TemporaryName.isFolder)
    #expect(folders == ["00", "ff", "FF"])
  }
}
