import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `The lock of an index` {
  private let directory = TemporaryDirectory()
  private let files = POSIXFileSystem()
  private var blobs: BlobStore {
    BlobStore(directory: directory.path, files: files, synchronizes: false)
  }
  private var path: String { directory.path("index.lock") }

  /// Whether another holder could take the lock.
  private func isFree() throws -> Bool {
    let file = try files.open(path, forWriting: true)
    defer { files.close(file) }
    guard try files.tryLock(file) else { return false }
    files.unlock(file)
    return true
  }

  @Test func `creates its file, and is held until it is released or gone`() throws {
    do {
      var lock = IndexLock(in: blobs)
      try lock.acquire()
      #expect(try !isFree())
      lock.release()
      #expect(try isFree())
      try lock.acquire()
      #expect(try !isFree())
    }

    #expect(try isFree())
  }

  @Test(arguments: [false, true])
  func `is taken on a new file after the old one or the directory was removed`(isFile: Bool) throws
  {
    var lock = IndexLock(in: blobs)
    try lock.acquire()
    lock.release()
    try FileManager.default.removeItem(atPath: isFile ? path : directory.path)

    try lock.acquire()

    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try !isFree())
  }

  @Test func `passes on the failure to make the directory`() throws {
    try Data().write(to: URL(fileURLWithPath: directory.path("file")))
    let below = BlobStore(
      directory: directory.path("file/cache"), files: files, synchronizes: false)
    var lock = IndexLock(in: below)

    let failure = #expect(throws: FileSystemFailure.self) { try lock.acquire() }

    #expect(failure?.number == ENOTDIR)
  }

  @Test func `is released where its file cannot be examined`() throws {
    let faulty = FaultyFileSystem(.init(call: 1, number: EIO, lasts: true, only: "facts of"))
    var lock = IndexLock(
      in: BlobStore(directory: directory.path, files: faulty, synchronizes: false))
    let file = try files.create(path, mode: 0o644)
    files.close(file)
    faulty.set(.init())
    try lock.acquire()
    lock.release()
    faulty.set(.init(call: 1, number: EIO, lasts: true, only: "facts of"))

    #expect(throws: FileSystemFailure.self) { try lock.acquire() }

    #expect(try isFree())
    faulty.set(.init())
    try lock.acquire()
    #expect(try !isFree())
  }
}
