package import ImageModel

/// A body on its way into the cache: a file that is hashed while it is written.
///
/// Every byte is written once and hashed once; committing gives the file its name. One that is not
/// committed is removed with the last reference. One thread at a time appends.
package final class StagedBlob: StagedBody {
  /// The treatment of the file at ``path`` with the last reference.
  private enum Fate { case removed, kept, published }

  private struct State {
    var file: Int32?
    var fate: Fate
    let hasher = SHA256()
    var checksum = CRC32C()
    var byteCount = 0
    /// Bytes of a resumed prefix that have not been hashed yet: all of it, or none.
    var unhashedByteCount = 0
    var failure: FileSystemFailure?
    var content: CacheContent?
    var isSealed = false
  }

  /// Its name so far; `nil` for a file without a name.
  private let name: String?
  var path: String { name ?? blobs.directory + "/tmp" }
  private let blobs: BlobStore
  private let isTemporary: Bool
  private let state: Locked<State>

  init(in blobs: BlobStore) throws(FileSystemFailure) {
    let temporary = try blobs.createTemporary()
    self.blobs = blobs
    name = temporary.path
    isTemporary = true
    state = Locked(State(file: temporary.file, fate: .removed))
  }

  /// Continues a locked file after so many bytes; it stays until it is committed or discarded.
  init(resuming file: Int32, at path: String, byteCount: Int, in blobs: BlobStore) {
    self.blobs = blobs
    name = path
    isTemporary = false
    state = Locked(
      State(file: file, fate: .kept, byteCount: byteCount, unhashedByteCount: byteCount))
  }

  /// Closes a file that stays, and with it gives up its lock. What was hashed is remembered.
  func suspend() {
    state.withLock { state in
      if let file = state.file { blobs.files.close(file) }
      state.file = nil
    }
  }

  /// Continues a suspended file, which has the same bytes as before.
  func resume(_ file: Int32) { state.withLock { $0.file = file } }

  deinit {
    state.withLock { state in
      guard let file = state.file else { return }
      if state.fate == .removed, let name { try? blobs.files.remove(name) }
      blobs.files.close(file)
    }
  }

  package var byteCount: Int { state.withLock { $0.byteCount } }

  /// Adds bytes at the end. After an error nothing can be appended or committed.
  package func append(_ bytes: RawSpan) throws(ImageError) {
    try state.withLock { state throws(ImageError) in
      if let failure = state.failure { throw failure.error }
      guard let file = state.file, state.content == nil else { throw gone.error }
      do throws(FileSystemFailure) {
        try hashPrefix(&state, file)
        try bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
          // Hash first: it reads ahead. The copy of the kernel would wait for each line of bytes
          // that another core has received.
          state.hasher.update(bytes)
          state.checksum.update(bytes)
          try blobs.files.write(bytes, to: file, at: state.byteCount)
        }
        state.byteCount += bytes.byteCount
      } catch {
        state.failure = error
        throw error.error
      }
    }
  }

  package func append(_ bytes: [UInt8]) throws(ImageError) { try append(bytes.span.bytes) }

  private func hashPrefix(_ state: inout State, _ file: Int32) throws(FileSystemFailure) {
    guard state.unhashedByteCount > 0 else { return }
    let end = state.unhashedByteCount
    let (hasher, files) = (state.hasher, blobs.files)
    var checksum = state.checksum
    let count = try files.forEachPiece(of: file, upTo: end) { piece in
      hasher.update(piece)
      checksum.update(piece)
    }
    if count < end { throw gone }
    (state.checksum, state.unhashedByteCount) = (checksum, 0)
  }

  package func contents() throws(ImageError) -> [UInt8] {
    try translatingErrors {
      try state.withLock { state in
        guard let file = state.file,
          let bytes = try blobs.files.readWhole(file, byteCount: state.byteCount)
        else { throw gone }
        return bytes
      }
    }
  }

  /// Returns at most `count` of the bytes so far, from an offset on; also once it was committed.
  func read(at offset: Int, count: Int) throws -> [UInt8] {
    do {
      return try withFile { file in
        try [UInt8](unsafeUninitializedCapacity: count) { room, filled in
          let room = UnsafeMutableRawBufferPointer(room)
          filled = try blobs.files.read(into: room, from: file, at: offset)
        }
      }
    } catch let failure as FileSystemFailure {
      throw ImageError(.fileUnreadable, "cannot read \(path)", errno: failure.number)
    }
  }

  /// Calls `body` with the open file, which is readable, also once it was committed.
  package func withFile<Result>(_ body: (Int32) throws -> Result) throws -> Result {
    guard let file = state.withLock({ $0.file }) else { throw gone.error }
    return try withExtendedLifetime(self) { try body(file) }
  }

  func restart() throws(FileSystemFailure) {
    try state.withLock { state throws(FileSystemFailure) in
      guard let file = state.file else { throw gone }
      try blobs.files.truncate(file)
      _ = state.hasher.finish()
      state.checksum = CRC32C()
      (state.byteCount, state.unhashedByteCount) = (0, 0)
    }
  }

  /// Makes a resumed file temporary: removed with the last reference unless it is committed.
  func end() { state.withLock { $0.fate = .removed } }

  package func discard() {
    state.withLock { state in
      guard let file = state.file else { return }
      state.file = nil
      if state.fate != .published, let name { try? blobs.files.remove(name) }
      blobs.files.close(file)
    }
  }

  func finish() throws(FileSystemFailure) -> CacheContent {
    try state.withLock { state throws(FileSystemFailure) in try finish(&state) }
  }

  private func finish(_ state: inout State) throws(FileSystemFailure) -> CacheContent {
    if let content = state.content { return content }
    guard let file = state.file else { throw gone }
    if let failure = state.failure { throw failure }
    try hashPrefix(&state, file)
    let content = CacheContent(
      hash: state.hasher.finish(), byteCount: state.byteCount, checksum: state.checksum.value)
    state.content = content
    return content
  }

  /// Ends the writing and makes the file ready to be published: in strict mode it is on the disk.
  func seal() throws(FileSystemFailure) -> CacheContent {
    try state.withLock { state throws(FileSystemFailure) in
      let content = try finish(&state)
      guard !state.isSealed, let file = state.file else { return content }
      if !isTemporary { try blobs.files.setMode(0o444, of: file) }
      if blobs.synchronizes { try blobs.files.synchronize(file) }
      state.isSealed = true
      return content
    }
  }

  /// Gives the file its final name, and returns whether nothing had it. A second call, after a
  /// change that was not made, finds it there.
  func publish(as content: CacheContent, in area: BlobArea) throws(FileSystemFailure) -> Bool {
    try state.withLock { state throws(FileSystemFailure) in
      guard let file = state.file, state.fate != .published else {
        guard blobs.holds(content, at: blobs.path(of: content.hash, in: area)) else { throw gone }
        return false
      }
      let isNew = try blobs.publish(file, named: name, as: content, in: area)
      state.fate = .published
      return isNew
    }
  }

  private var gone: FileSystemFailure {
    FileSystemFailure(number: FileSystemFailure.absent, path: path)
  }
}
