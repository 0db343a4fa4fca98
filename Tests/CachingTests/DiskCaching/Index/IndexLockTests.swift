import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `The lock of an index` {
  private let directory = TemporaryDirectory()
  private let files = POSIXFileSystem()
  private var path: String { directory.path("index.lock") }

  /// Whether another holder could take the lock.
  private func isFree() throws -> Bool {
    let file = try files.open(path, forWriting: true)
    defer { files.close(file) }
    guard try files.tryLock(file) else { return false }
    files.unlock(file)
    return true
  }

  @Test func `creates its file, and is held until it is released`() throws {
    var lock = IndexLock(path: path, files: files)

    try lock.take {}
    #expect(try !isFree())
    lock.release()
    #expect(try isFree())
    try lock.take {}
    #expect(try !isFree())
  }

  @Test func `ends with its value`() throws {
    do {
      var lock = IndexLock(path: path, files: files)
      try lock.take {}
    }

    #expect(try isFree())
  }

  @Test func `is taken on the new file after the old one was removed`() throws {
    var lock = IndexLock(path: path, files: files)
    try lock.take {}
    lock.release()
    try FileManager.default.removeItem(atPath: path)

    try lock.take {}

    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try !isFree())
  }

  @Test func `makes the directory again where that was removed`() throws {
    var lock = IndexLock(path: path, files: files)
    try lock.take {}
    lock.release()
    try FileManager.default.removeItem(atPath: directory.path)
    let count = Locked(0)

    try lock.take { () throws(FileSystemFailure) in
      count.withLock { $0 += 1 }
      try files.makeDirectory(directory.path)
    }

    #expect(count.withLock { $0 } == 1)
    #expect(try !isFree())
  }

  @Test func `gives up where the directory does not come back`() throws {
    var lock = IndexLock(path: directory.path("none/index.lock"), files: files)

    let failure = #expect(throws: FileSystemFailure.self) { try lock.take {} }

    #expect(failure?.isAbsent == true)
    #expect(failure?.path == directory.path("none/index.lock"))
  }

  @Test func `passes on the failure of its preparation`() throws {
    var lock = IndexLock(path: directory.path("none/index.lock"), files: files)

    let failure = #expect(throws: FileSystemFailure.self) {
      try lock.take { () throws(FileSystemFailure) in
        throw FileSystemFailure(number: EROFS, path: "there")
      }
    }

    #expect(failure?.path == "there")
  }

  @Test func `is released where its file cannot be examined`() throws {
    let faulty = FaultyFileSystem(.init(call: 1, number: EIO, lasts: true, only: "facts of"))
    var lock = IndexLock(path: path, files: faulty)
    let file = try files.create(path, mode: 0o644)
    files.close(file)
    faulty.set(.init())
    try lock.take {}
    lock.release()
    faulty.set(.init(call: 1, number: EIO, lasts: true, only: "facts of"))

    #expect(throws: FileSystemFailure.self) { try lock.take {} }

    #expect(try isFree())
    faulty.set(.init())
    try lock.take {}
    #expect(try !isFree())
  }

  @Test func `waits for another holder`() async throws {
    let holder = Locked(IndexLock(path: path, files: files))
    try holder.withLock { try $0.take {} }
    let isTaken = Locked(false)
    let (path, files) = (path, files)
    let waiting = Task {
      try await OffPool.run {
        var lock = IndexLock(path: path, files: files)
        try lock.take {}
        isTaken.withLock { $0 = true }
      }
    }

    #expect(!isTaken.withLock { $0 })
    holder.withLock { $0.release() }
    try await waiting.value

    #expect(isTaken.withLock { $0 })
  }
}
