import CPlatform
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A day's folder of an export: files whose names belong to one URL each, and the `index.json` that
/// says which.
///
/// No file of another URL, and none that was put or changed there by anything else, is overwritten:
/// what cannot have its name gets `-2`, `-3` and so on. A URL keeps its name as long as the index
/// does; without an index equal bytes tell. Symbolic links are never followed. While a folder is
/// open other exports wait for it.
final class ExportFolder {
  /// What an image is placed from.
  enum Content {
    case bytes([UInt8])
    /// A file of the cache, which never changes: a hard link where those are asked for.
    case cached(path: String)
    /// A file that is copied.
    case file(path: String)
  }

  private static let indexName = "index.json"

  private let path: String
  private let descriptor: Int32
  private let mode: FileCopy.Mode
  private(set) var index: ExportIndex
  /// The URLs of the files in the index, by name.
  private var owners: [String: String]
  /// The number to try next, by the name that was taken: many URLs may want the same one.
  private var numbers: [String: Int] = [:]

  /// Makes the folder where it is missing, waits until no other export works in it, and reads its
  /// index.
  ///
  /// - Parameters:
  ///   - directory: The folder of the whole export; may be a symbolic link.
  ///   - day: The name of the folder in it.
  /// - Throws: ``ImageError`` with code `storeFailed` or `diskFull`; also for a symbolic link in
  ///   its place.
  init(_ directory: String, day: String, mode: FileCopy.Mode) throws(ImageError) {
    path = directory + "/" + day
    self.mode = mode
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
    } catch {
      throw ImageError(.storeFailed, "cannot create the export folder \(directory)")
    }
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw Self.failure(path) }
    descriptor = systemOpen(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ImageError(
        .storeFailed, "cannot export to \(path): not a directory; symbolic links are not followed")
    }
    // Where the file system has no locks, exclusive names still keep files apart.
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    index = ExportIndex(day: day)
    owners = [:]
    if let bytes = Self.read(path + "/" + Self.indexName),
      let found = ExportIndex(bytes, day: day)
    {
      index = found
    }
    for entry in index.images where entry.file != nil { owners[entry.file ?? ""] = entry.url }
  }

  deinit { close(descriptor) }

  /// Places an image and notes it in the index.
  ///
  /// - Parameters:
  ///   - stem: The name that is wanted, without extension.
  ///   - entry: What the index says of it; the file's name and digest are filled in.
  /// - Throws: ``ImageError`` with code `storeFailed` or `diskFull`.
  func place(
    _ content: Content, stem: String, extension suffix: String, _ entry: ExportIndex.Image
  ) throws(ImageError) {
    var entry = entry
    guard let hash = Self.hash(of: content) else {
      throw ImageError(
        .storeFailed, "cannot export \(entry.url): the file to copy cannot be read")
    }
    entry.sha256 = hash.hex
    entry.bytes = entry.bytes ?? hash.byteCount
    var source = Source(content: content, hash: hash.hex)
    defer { if let made = source.temporary { unlink(made) } }
    if let known = index[entry.url], let file = known.file, owners[file] == entry.url,
      file.hasSuffix(".\(suffix)"), Self.isPlain(file), try take(file, from: &source, known: known)
    {
      entry.file = file
    } else {
      entry.file = try freeName(stem, suffix, for: entry.url, from: &source)
    }
    note(entry)
  }

  /// Notes an image without a file; one that the index has a file for stays as it is.
  func note(_ entry: ExportIndex.Image) {
    if entry.file == nil, index[entry.url]?.file != nil { return }
    if let file = entry.file { owners[file] = entry.url }
    index[entry.url] = entry
  }

  /// Whether the index has a file of the URL that is not a stand-in.
  func hasFile(of url: String) -> Bool {
    index[url].map { $0.file != nil && $0.placeholder != true } ?? false
  }

  /// Writes the index in place of the one that was read. One that could not be read is moved aside.
  func writeIndex() throws(ImageError) {
    let target = path + "/" + Self.indexName
    if Self.facts(target) != nil, !isOurIndex(target) { try moveAside(target) }
    let temporary = "\(path)/.index.\(getpid()).\(UInt32.random(in: 0 ... .max)).part"
    try write(.bytes(index.text), to: temporary)
    guard rename(temporary, target) == 0 else {
      let failure = Self.failure(target)
      unlink(temporary)
      throw failure
    }
  }

  // MARK: Names

  /// An image on its way to a name.
  private struct Source {
    let content: Content
    let hash: String
    /// A hidden file with the bytes, made when a name is found for it.
    var temporary: String?
  }

  /// The first of `stem`, `stem-2`, `stem-3`… that is free or has these bytes already.
  private func freeName(
    _ stem: String, _ suffix: String, for url: String, from source: inout Source
  ) throws(ImageError) -> String {
    let wanted = "\(stem).\(suffix)"
    var number = numbers[wanted] ?? 1
    while true {
      let name = number == 1 ? wanted : "\(stem)-\(number).\(suffix)"
      number += 1
      let isOthers = owners[name].map { $0 != url } ?? false
      if !isOthers, try take(name, from: &source, known: nil) {
        numbers[wanted] = number
        return name
      }
    }
  }

  /// Gives a name to an image, unless something else has it.
  ///
  /// - Parameter known: What the index says of the file under that name.
  private func take(
    _ name: String, from source: inout Source, known: ExportIndex.Image?
  ) throws(ImageError) -> Bool {
    let target = path + "/" + name
    while true {
      guard let facts = Self.facts(target) else {
        if try publish(&source, as: target) { return true }
        continue
      }
      guard facts.st_mode & S_IFMT == S_IFREG, let present = Self.hash(of: target)?.hex else {
        return false
      }
      if present == source.hash { return true }
      // Only what an export left there, and nothing has changed since, makes way for a new version
      // of its URL.
      guard let known else { return false }
      let isOurs = known.sha256.map { $0 == present } ?? (known.bytes == Int(facts.st_size))
      guard isOurs else { return false }
      guard rename(try temporary(of: &source), target) == 0 else { throw Self.failure(target) }
      source.temporary = nil
      return true
    }
  }

  /// Puts an image under a name that nothing has; `false` where something has got it meanwhile.
  private func publish(_ source: inout Source, as target: String) throws(ImageError) -> Bool {
    let temporary = try temporary(of: &source)
    // A link fails where the name is taken, by whatever it may be; a rename would replace it.
    if link(temporary, target) == 0 { return true }
    if errno == EEXIST { return false }
    guard [EPERM, EMLINK, EOPNOTSUPP].contains(errno), rename(temporary, target) == 0 else {
      throw Self.failure(target)
    }
    source.temporary = nil
    return true
  }

  private func temporary(of source: inout Source) throws(ImageError) -> String {
    if let made = source.temporary { return made }
    let temporary = "\(path)/.image.\(getpid()).\(UInt32.random(in: 0 ... .max)).part"
    try write(source.content, to: temporary)
    source.temporary = temporary
    return temporary
  }

  /// Whether a name in an index, which anything may have written, is a name in this folder.
  private static func isPlain(_ name: String) -> Bool {
    !name.hasPrefix(".") && !name.contains("/") && name.utf8.count < 250
      && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F } && name != indexName
  }

  // MARK: Files

  private func write(_ content: Content, to temporary: String) throws(ImageError) {
    switch content {
    case .cached(let source):
      if mode == .hardLink, link(source, temporary) == 0 { return }
      try write(.file(path: source), to: temporary)
    case .file(let source):
      guard imgc_copy_file(source, temporary) == 0 else {
        let failure = Self.failure(temporary)
        unlink(temporary)
        throw failure
      }
    case .bytes(let bytes):
      let file = systemOpen(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
      guard file >= 0 else { throw Self.failure(temporary) }
      var rest = bytes[...]
      var isWritten = true
      while isWritten, !rest.isEmpty {
        let count = rest.withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
        if count > 0 { rest = rest.dropFirst(count) } else { isWritten = errno == EINTR }
      }
      let failure = Self.failure(temporary)
      guard close(file) == 0, isWritten else {
        unlink(temporary)
        throw failure
      }
    }
  }

  private func isOurIndex(_ target: String) -> Bool {
    Self.read(target).flatMap { ExportIndex($0, day: index.day) } != nil
  }

  /// Renames what is not an index of ours to the first free of `index-damaged.json`,
  /// `index-damaged-2.json`…
  private func moveAside(_ target: String) throws(ImageError) {
    var number = 1
    while true {
      let name = "\(path)/index-damaged\(number == 1 ? "" : "-\(number)").json"
      number += 1
      if Self.facts(name) != nil { continue }
      guard rename(target, name) == 0 else { throw Self.failure(target) }
      return
    }
  }

  /// What is at a path, without following a link.
  private static func facts(_ path: String) -> stat? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? facts : nil
  }

  /// Opens a regular file for reading; `nil` for anything else, such as a pipe.
  private static func open(regular path: String, followsLinks: Bool) -> Int32? {
    let file = systemOpen(
      path, O_RDONLY | (followsLinks ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
      close(file)
      return nil
    }
    return file
  }

  /// Calls `body` with the bytes of a regular file, piece by piece; `false` where they cannot be
  /// read.
  private static func pieces(
    of path: String, followsLinks: Bool = false, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    guard let file = open(regular: path, followsLinks: followsLinks) else { return false }
    defer { close(file) }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { room.deallocate() }
    while true {
      let count = systemRead(file, room.baseAddress, room.count)
      if count == 0 { return true }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      body(UnsafeRawBufferPointer(rebasing: room[..<count]))
    }
  }

  private static func hash(of content: Content) -> (hex: String, byteCount: Int)? {
    switch content {
    case .bytes(let bytes): (bytes.withUnsafeBytes { SHA256.hash(of: $0) }.hex, bytes.count)
    case .cached(let path): hash(of: path)
    case .file(let path): hash(of: path, followsLinks: true)
    }
  }

  private static func hash(
    of path: String, followsLinks: Bool = false
  ) -> (hex: String, byteCount: Int)? {
    let hasher = SHA256()
    var count = 0
    let isRead = pieces(of: path, followsLinks: followsLinks) {
      hasher.update($0)
      count += $0.count
    }
    return isRead ? (hasher.finish().hex, count) : nil
  }

  private static func read(_ path: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    return pieces(of: path) { bytes += $0 } ? bytes : nil
  }

  private static func failure(_ path: String) -> ImageError {
    let reason = errno
    return ImageError(
      reason == ENOSPC || reason == EDQUOT ? .diskFull : .storeFailed,
      "cannot write \(path): \(String(cString: strerror(reason)))")
  }
}

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
  open(path, flags, mode)
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(file, bytes, count)
}

private func systemRead(_ file: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(file, bytes, count)
}
