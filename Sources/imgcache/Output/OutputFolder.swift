import CPlatform
import ImageModel
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder for many files, each of which appears whole under its name or not at all.
///
/// Where the file system can, files are written without a name, so that a killed process leaves
/// nothing.
struct OutputFolder: Sendable {
  /// The path as the user wrote it, with a slash at its end.
  let path: String
  /// The same without symbolic links.
  private let place: String

  /// Whether the argument of `-o` names a folder: one that exists, or any path with a slash at its
  /// end.
  static func isNamed(by path: String) -> Bool {
    var facts = stat()
    return path.hasSuffix("/")
      || (stat(path.fileName, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR)
  }

  /// Creates the folder and those above it that do not exist.
  ///
  /// - Throws: ``ImageError`` with code `storeFailed` or `diskFull`.
  init(creating path: String) throws(ImageError) {
    self.path = path.hasSuffix("/") ? path : path + "/"
    var end = path.startIndex
    while let slash = self.path[end...].firstIndex(of: "/") {
      end = self.path.index(after: slash)
      let part = String(self.path[..<end])
      guard mkdir(part.fileName, 0o777) != 0, errno != EEXIST else { continue }
      // A folder above may exist and be on a file system that refuses the call before it looks.
      let reason = errno
      guard !Self.isFolder(part) else { continue }
      throw ImageError(writing: "cannot create the folder \(part)", errno: reason)
    }
    guard Self.isFolder(self.path), let place = realpath(self.path.fileName, nil) else {
      throw ImageError(writing: "cannot write to the folder \(path)", errno: errno)
    }
    defer { free(place) }
    self.place = String(fileName: place)
  }

  private static func isFolder(_ path: String) -> Bool {
    var facts = stat()
    guard stat(path.fileName, &facts) == 0 else { return false }
    if facts.st_mode & S_IFMT != S_IFDIR { errno = ENOTDIR }
    return facts.st_mode & S_IFMT == S_IFDIR
  }

  /// The path of a file of the folder, for system calls.
  func location(of name: String) -> [CChar] { (place + "/" + name).fileName }

  /// Writes a file that has no place in the folder yet; it is removed when the value is released.
  ///
  /// - Throws: ``ImageError`` with code `storeFailed` or `diskFull`.
  func stage(_ bytes: [UInt8]) throws(ImageError) -> StagedOutput {
    var descriptor = imgc_file_open_unnamed(place.fileName, 0o666)
    var name: [CChar]?
    if descriptor < 0, errno == EOPNOTSUPP {
      let temporary = temporaryLocation()
      descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      name = temporary
    }
    guard descriptor >= 0 else { throw failure() }
    let file = StagedOutput(descriptor: descriptor, location: name)
    guard Stream.writeAll(bytes.span.bytes, to: descriptor) else { throw failure() }
    return file
  }

  /// Gives a file its name, in place of a file or a symbolic link of that name.
  ///
  /// - Throws: ``ImageError`` with code `storeFailed` or `diskFull`.
  func publish(_ file: StagedOutput, as name: String) throws(ImageError) {
    guard file.move(to: location(of: name), by: temporaryLocation()) else { throw failure(name) }
  }

  /// Gives a file that waits for its name a temporary one, so that it holds no descriptor.
  func park(_ file: StagedOutput) { file.park(at: temporaryLocation()) }

  private func temporaryLocation() -> [CChar] {
    location(of: ".imgcache-\(getpid())-\(UInt64.random(in: 0 ... .max)).part")
  }

  private func failure(_ name: String? = nil) -> ImageError {
    let reason = errno
    return ImageError(
      writing: name.map { "cannot write \(path)\($0)" } ?? "cannot write to the folder \(path)",
      errno: reason)
  }
}

/// A whole file of an ``OutputFolder`` that has not got its name yet.
final class StagedOutput: Sendable {
  private struct State {
    /// -1 once it is closed.
    var descriptor: Int32
    /// The temporary name, if it has one.
    var location: [CChar]?
  }

  private let state: Mutex<State>

  fileprivate init(descriptor: Int32, location: [CChar]?) {
    state = Mutex(State(descriptor: descriptor, location: location))
  }

  /// - Returns: `false` for a failure, with the reason in `errno`.
  fileprivate func move(to target: [CChar], by temporary: [CChar]) -> Bool {
    state.withLock { state in
      if state.location == nil {
        if imgc_file_link(state.descriptor, target) == 0 { return Self.close(&state) }
        // What exists can be replaced only by a name.
        guard errno == EEXIST, imgc_file_link(state.descriptor, temporary) == 0 else {
          return false
        }
        state.location = temporary
      }
      guard let location = state.location, rename(location, target) == 0 else { return false }
      state.location = nil
      return Self.close(&state)
    }
  }

  fileprivate func park(at temporary: [CChar]) {
    state.withLock { state in
      guard state.descriptor >= 0, state.location == nil,
        imgc_file_link(state.descriptor, temporary) == 0
      else { return }
      state.location = temporary
      _ = Self.close(&state)
    }
  }

  private static func close(_ state: inout State) -> Bool {
    guard state.descriptor >= 0 else { return true }
    defer { state.descriptor = -1 }
    return systemClose(state.descriptor) == 0
  }

  deinit {
    state.withLock { state in
      _ = Self.close(&state)
      if let location = state.location { unlink(location) }
    }
  }
}

// Outside the type, whose own method of this name would hide it.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
