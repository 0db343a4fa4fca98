/// Bytes on their way into the cache: a temporary file, hashed while it is written.
///
/// What is not committed is removed when the last reference goes. One thread at a time appends.
public final class StagedBlob: Sendable {
  private struct State {
    var file: Int32?
    let hasher = SHA256()
    var checksum = CRC32C()
    var byteCount = 0
    var failure: FileSystemFailure?
    var content: CacheContent?
  }

  package let path: String
  private let blobs: BlobStore
  private let state: Locked<State>

  init(in blobs: BlobStore) throws(FileSystemFailure) {
    let temporary = try blobs.createTemporary()
    self.blobs = blobs
    path = temporary.path
    state = Locked(State(file: temporary.file))
  }

  deinit { discard() }

  /// Bytes so far.
  public var byteCount: Int { state.withLock { $0.byteCount } }

  /// Adds bytes at the end.
  ///
  /// - Throws: ``ImageError`` with code `diskFull`, `cacheUnusable` or `storeFailed`; the blob is lost then.
  public func append(_ bytes: RawSpan) throws(ImageError) {
    let failure = state.withLock { state -> FileSystemFailure? in
      if let failure = state.failure { return failure }
      guard let file = state.file, state.content == nil else {
        return FileSystemFailure(number: FileSystemFailure.absent, path: path)
      }
      bytes.withUnsafeBytes { bytes in
        do throws(FileSystemFailure) {
          try blobs.files.write(bytes, to: file)
          state.hasher.update(bytes)
          state.checksum.update(bytes)
          state.byteCount += bytes.count
        } catch {
          state.failure = error
        }
      }
      return state.failure
    }
    if let failure { throw failure.error }
  }

  /// Adds bytes at the end.
  public func append(_ bytes: [UInt8]) throws(ImageError) {
    try append(bytes.span.bytes)
  }

  /// All bytes so far, read back.
  public func contents() throws(ImageError) -> [UInt8] {
    let result = state.withLock { state -> Result<[UInt8]?, FileSystemFailure> in
      guard let file = state.file else { return .success(nil) }
      do throws(FileSystemFailure) {
        return .success(try blobs.files.readWhole(file, byteCount: state.byteCount))
      } catch {
        return .failure(error)
      }
    }
    do throws(FileSystemFailure) {
      if let bytes = try result.get() { return bytes }
    } catch {
      throw error.error
    }
    throw ImageError(.storeFailed, "the temporary file of a download is gone (\(path))")
  }

  /// Removes the file now.
  public func discard() {
    state.withLock { state in
      guard let file = state.file else { return }
      state.file = nil
      try? blobs.files.remove(path)
      blobs.files.close(file)
    }
  }

  /// Ends the writing: nothing can be appended any more. In strict mode the file is on the disk then.
  func seal() throws(FileSystemFailure) -> CacheContent {
    let result = state.withLock { state -> Result<CacheContent, FileSystemFailure> in
      if let content = state.content { return .success(content) }
      guard let file = state.file else {
        return .failure(FileSystemFailure(number: FileSystemFailure.absent, path: path))
      }
      do throws(FileSystemFailure) {
        if let failure = state.failure { throw failure }
        if blobs.synchronizes { try blobs.files.synchronize(file) }
        let content = CacheContent(
          hash: state.hasher.finish(), byteCount: state.byteCount, checksum: state.checksum.value)
        state.content = content
        return .success(content)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Gives the file its final name. A second call, after a transaction that was undone, finds it there.
  func publish(as content: CacheContent, in area: BlobArea) throws(FileSystemFailure) {
    let failure = state.withLock { state -> FileSystemFailure? in
      do throws(FileSystemFailure) {
        guard let file = state.file else {
          if blobs.holds(content, at: blobs.path(of: content.hash, in: area)) { return nil }
          throw FileSystemFailure(number: FileSystemFailure.absent, path: path)
        }
        try blobs.publish(path, as: content.hash, in: area)
        blobs.files.close(file)
        state.file = nil
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }
}
