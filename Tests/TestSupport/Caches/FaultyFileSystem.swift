import Foundation

@testable import DiskCaching
@testable import ImageModel

/// A file system that fails on purpose: the n-th call, or every call after it, with a given error.
final class FaultyFileSystem: FileSystem {
  struct Plan {
    /// The call that fails, counted from 1; 0 for none.
    var call = 0
    var number = EIO
    /// Fails all later calls too.
    var lasts = false
    /// Only calls of this name fail; all, where none is named.
    var only: String?
    /// A write puts down half of its bytes before it fails.
    var isShort = false
  }

  private struct State {
    var plan: Plan
    var calls = 0
    var names: [String] = []
    var faults: [String] = []
    var space: FileSystemSpace?
    var hasNoUnnamed = false
    var paths: [Int32: String] = [:]
    var writtenByteCount = 0
    var readByteCount = 0

    /// Counts bytes of a body: of blobs, of files that become one, and of resumable files, and not
    /// of their heads.
    mutating func count(_ byteCount: Int, of file: Int32, in counter: WritableKeyPath<Self, Int>) {
      guard let path = paths[file], !path.contains(".head"),
        path.contains(/\/(tmp\/[0-9a-f]{2}|partial|blobs|documents)\//)
      else { return }
      self[keyPath: counter] += byteCount
    }
  }

  private let real = POSIXFileSystem()
  private let state: Locked<State>

  init(_ plan: Plan = Plan()) { state = Locked(State(plan: plan)) }

  var callCount: Int { state.withLock { $0.calls } }
  var names: [String] { state.withLock { $0.names } }
  var faults: [String] { state.withLock { $0.faults } }
  /// Bytes of bodies that were written to files, and read from them.
  var writtenByteCount: Int { state.withLock { $0.writtenByteCount } }
  var readByteCount: Int { state.withLock { $0.readByteCount } }

  func set(_ plan: Plan) {
    state.withLock {
      $0.plan = plan
      $0.calls = 0
    }
  }

  /// Pretends that the disk has so much room.
  func set(freeByteCount: Int, of byteCount: Int = 1 << 40) {
    state.withLock {
      $0.space = FileSystemSpace(byteCount: byteCount, freeByteCount: freeByteCount)
    }
  }

  /// Counts a call; throws when it is its turn.
  private func pass(_ name: String, _ path: String = "") throws(FileSystemFailure) {
    let number = state.withLock { state -> Int32? in
      state.calls += 1
      state.names.append(name)
      let plan = state.plan
      if let only = plan.only, only != name { return nil }
      guard plan.call > 0, state.calls == plan.call || plan.lasts && state.calls > plan.call else {
        return nil
      }
      state.faults.append(name)
      return plan.number
    }
    if let number { throw FileSystemFailure(number: number, path: path) }
  }

  func rooted(at directory: String) -> any FileSystem { self }

  func openCached(_ path: String, byteCount: Int) -> Int32? {
    guard let (file, facts) = try? openRegular(path, forWriting: false) else { return nil }
    if facts.byteCount == byteCount { return file }
    close(file)
    return nil
  }

  private var writesHalf: Bool { state.withLock { $0.plan.isShort } }

  func makeDirectory(_ path: String) throws(FileSystemFailure) {
    try pass("makeDirectory", path)
    try real.makeDirectory(path)
  }

  func spreadFolders(in directory: String) { real.spreadFolders(in: directory) }

  func create(_ path: String, mode: UInt16) throws(FileSystemFailure) -> Int32 {
    try pass("create", path)
    let file = try real.create(path, mode: mode)
    state.withLock { $0.paths[file] = path }
    return file
  }

  func createUnnamed(in directory: String, mode: UInt16) throws(FileSystemFailure) -> Int32? {
    try pass("create", directory)
    if state.withLock({ $0.hasNoUnnamed }) { return nil }
    let file = try real.createUnnamed(in: directory, mode: mode)
    if let file { state.withLock { $0.paths[file] = directory + "/" } }
    return file
  }

  func link(_ file: Int32, to path: String) throws(FileSystemFailure) {
    try pass("rename", path)
    try real.link(file, to: path)
  }

  /// Pretends that files have names from the beginning.
  func withoutUnnamed() -> FaultyFileSystem {
    state.withLock { $0.hasNoUnnamed = true }
    return self
  }

  func openRegular(
    _ path: String, forWriting: Bool
  ) throws(FileSystemFailure) -> (file: Int32, facts: FileFacts) {
    try pass("open", path)
    try pass("facts of")
    let opened = try real.openRegular(path, forWriting: forWriting)
    state.withLock { $0.paths[opened.file] = path }
    return opened
  }

  func read(_ path: String, byteCount: Int) throws(FileSystemFailure) -> [UInt8]? {
    try pass("open", path)
    try pass("read", path)
    let bytes = try real.read(path, byteCount: byteCount)
    state.withLock { $0.readByteCount += bytes?.count ?? 0 }
    return bytes
  }

  func openDirectory(_ path: String) throws(FileSystemFailure) -> Int32 {
    try pass("open", path)
    return try real.openDirectory(path)
  }

  func canonicalPath(of path: String) -> String { real.canonicalPath(of: path) }

  func write(
    _ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int
  ) throws(FileSystemFailure) {
    do {
      try pass("write")
    } catch {
      if writesHalf {
        let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
        try real.write(half, to: file, at: offset)
      }
      throw error
    }
    try real.write(bytes, to: file, at: offset)
    state.withLock { $0.count(bytes.count, of: file, in: \.writtenByteCount) }
  }

  func truncate(_ file: Int32) throws(FileSystemFailure) {
    try pass("truncate")
    try real.truncate(file)
  }

  func read(
    into room: UnsafeMutableRawBufferPointer, from file: Int32, at offset: Int
  ) throws(FileSystemFailure) -> Int {
    try pass("read")
    let count = try real.read(into: room, from: file, at: offset)
    state.withLock { $0.count(count, of: file, in: \.readByteCount) }
    return count
  }

  func facts(of file: Int32) throws(FileSystemFailure) -> FileFacts {
    try pass("facts of")
    return try real.facts(of: file)
  }

  func facts(at path: String) throws(FileSystemFailure) -> FileFacts? {
    try pass("facts at", path)
    return try real.facts(at: path)
  }

  func exists(at path: String) throws(FileSystemFailure) -> Bool {
    try pass("facts at", path)
    return try real.exists(at: path)
  }

  func synchronize(_ file: Int32) throws(FileSystemFailure) {
    try pass("synchronize")
    try real.synchronize(file)
  }

  func reserve(_ file: Int32, upTo end: Int) { real.reserve(file, upTo: end) }

  func setMode(_ mode: UInt16, of file: Int32) throws(FileSystemFailure) {
    try pass("setMode")
    try real.setMode(mode, of: file)
  }

  func close(_ file: Int32) {
    // The number may be given to the next file at once.
    state.withLock { $0.paths[file] = nil }
    real.close(file)
  }

  func rename(_ path: String, to other: String) throws(FileSystemFailure) {
    try pass("rename", path)
    try real.rename(path, to: other)
  }

  func remove(_ path: String) throws(FileSystemFailure) {
    try pass("remove", path)
    try real.remove(path)
  }

  func removeDirectoryIfEmpty(_ path: String) {
    if (try? pass("removeDirectory", path)) != nil { real.removeDirectoryIfEmpty(path) }
  }

  func names(in directory: String) throws(FileSystemFailure) -> [String] {
    try pass("names", directory)
    return try real.names(in: directory)
  }

  func space(at directory: String) throws(FileSystemFailure) -> FileSystemSpace {
    try pass("space", directory)
    if let space = state.withLock({ $0.space }) { return space }
    return try real.space(at: directory)
  }

  func mayWrite(in directory: String) -> Bool {
    (try? pass("mayWrite", directory)) != nil && real.mayWrite(in: directory)
  }

  func tryLock(_ file: Int32) throws(FileSystemFailure) -> Bool {
    try pass("tryLock")
    return try real.tryLock(file)
  }

  func unlock(_ file: Int32) { real.unlock(file) }

  func synchronizeData(_ file: Int32) throws(FileSystemFailure) {
    try pass("synchronizeData")
    try real.synchronizeData(file)
  }
}
