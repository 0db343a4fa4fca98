import CPlatform
import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
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
    var temporary: [CChar]?
  }

  /// The path without symbolic links, and a slash.
  private let folder: [CChar]
  private let path: String
  private let state: Locked<State>

  /// Creates an empty file.
  ///
  /// - Parameters:
  ///   - folder: A folder that exists.
  ///   - mode: The permissions, less those of the process's mask.
  /// - Throws: `ImageError` with code `storeFailed` or `diskFull`.
  public init(
    in folder: UnsafePointer<CChar>, path: String, mode: UInt16 = 0o644
  ) throws(ImageError) {
    let folder = try Self.canonical(folder, path)
    var state = State(descriptor: imgc_file_open_unnamed(folder + [0], mode_t(mode)))
    if state.descriptor < 0, errno == EOPNOTSUPP {
      let temporary = Self.temporary(in: folder)
      state.descriptor = imgc_file_open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode_t(mode))
      state.temporary = temporary
    }
    guard state.descriptor >= 0 else { throw Self.failure(path) }
    (self.folder, self.path, self.state) = (folder, path, Locked(state))
  }

  /// Creates a file with the content of another one, sharing its blocks where possible.
  ///
  /// - Parameter isLink: Whether it may be another name of that file, if possible.
  package init(
    copying source: String, isLink: Bool = false, in folder: UnsafePointer<CChar>, path: String
  ) throws(ImageError) {
    let folder = try Self.canonical(folder, path)
    let temporary = Self.temporary(in: folder)
    if !isLink || link(source, temporary) != 0, imgc_copy_file(source, temporary) != 0 {
      let failure = Self.failure(path)
      unlink(temporary)
      throw failure
    }
    (self.folder, self.path) = (folder, path)
    state = Locked(State(descriptor: -1, temporary: temporary))
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
  public func park() {
    state.withLock { state in
      if state.temporary != nil || name(&state) { _ = Self.close(&state) }
    }
  }

  /// Gives the file its name.
  ///
  /// - Parameters:
  ///   - name: A name in the folder, or a path from it.
  ///   - isReplacing: Whether a file or a symbolic link of that name is replaced.
  /// - Returns: Whether the file has the name; `false` if it was taken and not to be replaced.
  /// - Throws: `ImageError` with code `storeFailed` or `diskFull`.
  @discardableResult
  public func publish(
    as name: UnsafePointer<CChar>, path: String, isReplacing: Bool = true
  ) throws(ImageError) -> Bool {
    let target = folder + UnsafeBufferPointer(start: name, count: strlen(name) + 1)
    let reason = state.withLock { publish(&$0, target, isReplacing) ? 0 : errno }
    if reason == EEXIST, !isReplacing { return false }
    if reason != 0 { throw ImageError(writing: "cannot write \(path)", errno: reason) }
    return true
  }

  /// Returns `false` for a failure, with the reason in `errno`.
  private func publish(_ state: inout State, _ target: [CChar], _ isReplacing: Bool) -> Bool {
    if state.temporary == nil {
      if imgc_file_link(state.descriptor, target) == 0 { return Self.close(&state) }
      // What exists can be replaced only by a name.
      guard errno == EEXIST, isReplacing, name(&state) else { return false }
    }
    guard Self.close(&state), let temporary = state.temporary else { return false }
    if isReplacing || link(temporary, target) != 0 {
      // A file system without links, or a file that has as many as it can have.
      guard isReplacing || [EPERM, EMLINK, EOPNOTSUPP].contains(errno),
        rename(temporary, target) == 0
      else { return false }
    } else {
      unlink(temporary)
    }
    state.temporary = nil
    return true
  }

  private func name(_ state: inout State) -> Bool {
    let temporary = Self.temporary(in: folder)
    guard imgc_file_link(state.descriptor, temporary) == 0 else { return false }
    state.temporary = temporary
    return true
  }

  private static func close(_ state: inout State) -> Bool {
    guard state.descriptor >= 0 else { return true }
    defer { state.descriptor = -1 }
    return systemClose(state.descriptor) == 0
  }

  deinit {
    state.withLock { state in
      _ = Self.close(&state)
      if let temporary = state.temporary { unlink(temporary) }
    }
  }

  private static func canonical(
    _ folder: UnsafePointer<CChar>, _ path: String
  ) throws(ImageError) -> [CChar] {
    guard let real = realpath(folder, nil) else { throw failure(path) }
    defer { free(real) }
    return UnsafeBufferPointer(start: real, count: strlen(real)) + [0x2F]
  }

  private static func temporary(in folder: [CChar]) -> [CChar] {
    folder + ".imgcache-\(getpid())-\(UInt64.random(in: 0 ... .max)).part".utf8CString
  }

  private static func failure(_ path: String) -> ImageError {
    ImageError(writing: "cannot write \(path)", errno: errno)
  }
}

// Outside the type, whose own method of this name would hide it.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
