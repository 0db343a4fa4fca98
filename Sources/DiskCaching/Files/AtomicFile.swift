import CPlatform
public import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

/// A file that appears in a folder whole or not at all.
///
/// Until it is published it has no name where the file system has such files, so that a killed
/// process leaves nothing; elsewhere it has a hidden one, `.imgcache-….part`. One that is never
/// published is removed with the last reference.
///
/// Names are bytes, which need not be UTF-8; a `path` is what messages name.
public final class AtomicFile: Sendable {
  private struct State {
    /// -1 once it is closed.
    var descriptor: Int32
    var byteCount = 0
    /// Whether it has the temporary name.
    var isNamed: Bool
  }

  /// The path without symbolic links, and a slash.
  private let folder: [CChar]
  private let temporary: [CChar]
  private let path: String
  private let state: Locked<State>

  /// Creates a file.
  ///
  /// - Parameters:
  ///   - folder: A folder that exists.
  ///   - path: The path that errors name.
  ///   - mode: The permissions, less those of the process's mask.
  ///   - source: A file with the content, whose blocks are shared where possible. Default: none;
  ///     the content is written.
  ///   - isLink: Whether it may be another name of that file, if possible. Default: no.
  /// - Throws: `ImageError` with code `storeFailed` or `diskFull`.
  public init(
    in folder: UnsafePointer<CChar>, path: String, mode: UInt16 = 0o644,
    copying source: String? = nil, isLink: Bool = false
  ) throws(ImageError) {
    func failure() -> ImageError { ImageError(writing: "cannot write \(path)", errno: errno) }
    guard let real = realpath(folder, nil) else { throw failure() }
    defer { free(real) }
    self.folder = UnsafeBufferPointer(start: real, count: strlen(real)) + [0x2F]
    self.path = path
    let name = ".imgcache-\(getpid())-\(UInt64.random(in: 0 ... .max)).part"
    temporary = self.folder + name.utf8CString
    var descriptor: Int32 = -1
    var isNamed = true
    if let source {
      guard isLink && link(source, temporary) == 0 || imgc_copy_file(source, temporary) == 0 else {
        throw failure()
      }
    } else {
      descriptor = imgc_file_open_unnamed(real, UInt32(mode))
      isNamed = descriptor < 0 && errno == EOPNOTSUPP
      if isNamed {
        descriptor = imgc_file_open(temporary, O_WRONLY | O_CREAT | O_EXCL, UInt32(mode))
      }
      guard descriptor >= 0 else { throw failure() }
    }
    state = Locked(State(descriptor: descriptor, isNamed: isNamed))
  }

  /// Creates the file at a path, or replaces it; of a symbolic link the link itself.
  ///
  /// - Throws: `ImageError` with code `storeFailed` or `diskFull`.
  public static func write(
    _ bytes: RawSpan, to target: UnsafePointer<CChar>, path: String
  ) throws(ImageError) {
    let target = UnsafeBufferPointer(start: target, count: strlen(target) + 1)
    let count = target.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0
    let folder = count > 0 ? target[..<count] + [0] : [0x2E, 0]
    let file = try AtomicFile(in: Array(folder), path: path)
    try file.write(bytes)
    try file.publish(as: Array(target[count...]), path: path)
  }

  /// Appends bytes.
  ///
  /// - Throws: `ImageError` with code `storeFailed` or `diskFull`.
  public func write(_ bytes: RawSpan) throws(ImageError) {
    do throws(FileSystemFailure) {
      try bytes.withUnsafeBytes { bytes throws(FileSystemFailure) in
        try state.withLock { state throws(FileSystemFailure) in
          try POSIXFileSystem().write(bytes, to: state.descriptor, at: state.byteCount)
          state.byteCount += bytes.count
        }
      }
    } catch {
      throw ImageError(writing: "cannot write \(path)", errno: error.number)
    }
  }

  /// Closes a file that waits for its name, and gives it a temporary one until then.
  public func park() { state.withLock { _ = park(&$0) } }

  /// Gives the file its name.
  ///
  /// - Parameters:
  ///   - name: A name in the folder, or a path from it.
  ///   - path: The path that errors name.
  ///   - isReplacing: Whether a file or a symbolic link of that name is replaced.
  /// - Returns: Whether the file has the name; `false` if it was taken and not to be replaced.
  /// - Throws: `ImageError` with code `storeFailed` or `diskFull`.
  @discardableResult
  public func publish(
    as name: UnsafePointer<CChar>, path: String, isReplacing: Bool = true
  ) throws(ImageError) -> Bool {
    let target = folder + UnsafeBufferPointer(start: name, count: strlen(name) + 1)
    let reason = state.withLock { publish(&$0, target, isReplacing) ? 0 : errno }
    if reason == 0 { return true }
    if reason == EEXIST, !isReplacing { return false }
    throw ImageError(writing: "cannot write \(path)", errno: reason)
  }

  // MARK: Steps, `false` for a failure, with the reason in `errno`

  private func publish(_ state: inout State, _ target: [CChar], _ isReplacing: Bool) -> Bool {
    if !state.isNamed {
      if imgc_file_link(state.descriptor, target) == 0 { return end(&state) }
      // What exists can be replaced only by a name.
      guard errno == EEXIST, isReplacing else { return false }
    }
    guard park(&state) else { return false }
    if !isReplacing, link(temporary, target) == 0 {
      unlink(temporary)
    } else {
      // A file system without links, or a file that has as many as it can have.
      guard isReplacing || [EPERM, EMLINK, EOPNOTSUPP].contains(errno),
        rename(temporary, target) == 0
      else { return false }
    }
    state.isNamed = false
    return true
  }

  private func park(_ state: inout State) -> Bool {
    if !state.isNamed { state.isNamed = imgc_file_link(state.descriptor, temporary) == 0 }
    return state.isNamed && end(&state)
  }

  private func end(_ state: inout State) -> Bool {
    defer { state.descriptor = -1 }
    return state.descriptor < 0 || close(state.descriptor) == 0
  }

  deinit {
    state.withLock { state in
      _ = end(&state)
      if state.isNamed { unlink(temporary) }
    }
  }
}
