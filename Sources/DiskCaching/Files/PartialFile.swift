import ImageModel

final class PartialFile: PartialBody {
  private struct State {
    var validator: String?
    var expectedByteCount: Int?
    var isEnded = false
  }

  /// A prefix left for a later attempt. The same number of bytes of the same version has the same
  /// hash, regardless of what other processes did meanwhile.
  struct Left: Sendable {
    let blob: StagedBlob
    let validator: String
  }

  private let blob: StagedBlob
  private let blobs: BlobStore
  private let mark: String
  private var files: any FileSystem { blobs.files }
  private let state: Locked<State>
  private let onLeave: @Sendable (Left?) -> Void

  /// Opens or creates the file; `nil` if another holder has it. Without the prefix as this process
  /// left it, it is read again, to be hashed.
  init?(
    at path: String, in blobs: BlobStore, mark: String, left: Left?,
    onLeave: @escaping @Sendable (Left?) -> Void
  ) throws(FileSystemFailure) {
    let files = blobs.files
    let file = try blobs.openOrCreate(path)
    var byteCount = 0
    var state = State()
    do {
      let facts = try files.facts(of: file)
      guard try files.tryLock(file), try files.facts(at: path)?.identity == facts.identity else {
        files.close(file)
        return nil
      }
      // More bytes than the whole has: not a prefix of it.
      if let head = Self.readHead(path + ".head", mark, files),
        facts.byteCount <= head.expectedByteCount ?? .max
      {
        (state.validator, state.expectedByteCount) = head
        byteCount = facts.byteCount
      } else if facts.byteCount > 0 {
        try files.truncate(file)
      }
    } catch {
      files.close(file)
      throw error
    }
    if let left, left.validator == state.validator, left.blob.byteCount == byteCount {
      blob = left.blob
      blob.resume(file)
    } else {
      blob = StagedBlob(resuming: file, at: path, byteCount: byteCount, in: blobs)
    }
    self.blobs = blobs
    self.mark = mark
    self.state = Locked(state)
    self.onLeave = onLeave
  }

  deinit {
    let (isEnded, validator) = state.withLock { ($0.isEnded, $0.validator) }
    if isEnded { return }
    blob.suspend()
    onLeave(validator.map { Left(blob: blob, validator: $0) })
  }

  var validator: String? { state.withLock { $0.validator } }
  var expectedByteCount: Int? { state.withLock { $0.expectedByteCount } }
  var byteCount: Int { blob.byteCount }

  func restart(validator: String?, expectedByteCount: Int?) throws(ImageError) {
    try translatingErrors {
      try files.remove(headPath)
      try blob.restart()
      if let validator {
        let lines =
          [validator, expectedByteCount.map(String.init) ?? "-", "\(BootIdentity.current)"]
          + Self.ending(mark)
        try blobs.replace(headPath, with: Array(lines.joined(separator: "\n").utf8))
      }
    }
    state.withLock { ($0.validator, $0.expectedByteCount) = (validator, expectedByteCount) }
  }

  func append(_ bytes: RawSpan) throws(ImageError) { try blob.append(bytes) }

  func contents() throws(ImageError) -> [UInt8] { try blob.contents() }

  func finish() -> any StagedBody {
    end()
    return blob
  }

  func discard() {
    end()
    blob.discard()
  }

  private func end() {
    state.withLock { $0.isEnded = true }
    // A head without a body is an empty prefix.
    try? files.remove(headPath)
    blob.end()
  }

  private var headPath: String { blob.path + ".head" }

  private static func ending(_ mark: String) -> [String] { mark.isEmpty ? [""] : [mark, ""] }

  private static func readHead(
    _ path: String, _ mark: String, _ files: any FileSystem
  ) -> (validator: String?, expectedByteCount: Int?)? {
    guard let bytes = try? files.readIfPresent(path, upTo: 1 << 16) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 4, !lines[0].isEmpty, Int64(lines[2]) == BootIdentity.current,
      lines[3...].map(String.init) == ending(mark)
    else { return nil }
    return (String(lines[0]), Int(lines[1]))
  }
}
