import CPlatform
import ImageModel

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

/// A day's folder of an export: files whose names belong to one URL each, and their `index.json`.
///
/// No file of another URL, and none that something else created or changed, is overwritten: an
/// image whose name is taken gets `-2`, `-3` and so on. A URL keeps its name as long as the index
/// exists; without an index a file with equal bytes is reused. Symbolic links are never followed.
/// While a folder is open, other exports wait for it.
final class ExportFolder {
  enum Content {
    case bytes([UInt8])
    /// A file of the cache, which never changes and is named by its SHA-256; linked if links are
    /// requested.
    case cached(path: String)
    /// A file that is copied.
    case file(path: String)
  }

  private static let indexName = "index.json"

  private let path: String
  private let descriptor: Int32
  private let placement: DayExport.Placement
  private(set) var index: ExportIndex
  private var owners: [String: ExactString]
  /// The number to try next, by the name that was taken: many URLs may prefer the same one.
  private var numbers: [String: Int] = [:]

  /// Creates the folder if it is missing, waits until no other export uses it, and reads its index.
  ///
  /// - Parameters:
  ///   - directory: The folder of the whole export; may be a symbolic link.
  ///   - day: The name of the folder in it.
  /// - Throws: ``ImageError`` with code `storeFailed` or `diskFull`; also if it is a
  ///   symbolic link.
  init(
    _ directory: String, day: String, placement: DayExport.Placement
  ) throws(ImageError) {
    path = directory + "/" + day
    self.placement = placement
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
    // Without locks of the file system, exclusive names still keep files apart.
    while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    index = ExportIndex(day: day)
    owners = [:]
    if let bytes = Self.read(path + "/" + Self.indexName),
      let found = ExportIndex(bytes, day: day)
    {
      index = found
    }
    for entry in index.images where entry.file != nil {
      owners[entry.file ?? ""] = ExactString(entry.url)
    }
  }

  deinit { close(descriptor) }

  /// Places an image and adds it to the index.
  ///
  /// - Parameters:
  ///   - stem: The preferred name, without extension.
  ///   - entry: The entry of the index; the name and digest of the file are set.
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
    if let known = index[entry.url], let file = known.file, owners[file] == ExactString(entry.url),
      file.hasSuffix(".\(suffix)"), Self.isPlain(file), try take(file, from: &source, known: known)
    {
      entry.file = file
    } else {
      entry.file = try freeName(stem, suffix, for: entry.url, from: &source)
    }
    note(entry)
  }

  /// Adds an image without a file to the index, unless the index has a file for it.
  func note(_ entry: ExportIndex.Image) {
    if entry.file == nil, index[entry.url]?.file != nil { return }
    if let file = entry.file { owners[file] = ExactString(entry.url) }
    index[entry.url] = entry
  }

  /// Whether the index has a file of the URL that is not a placeholder.
  func hasFile(of url: String) -> Bool {
    index[url].map { $0.file != nil && $0.placeholder != true } ?? false
  }

  /// Replaces the index that was read. One that could not be read is renamed.
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

  private struct Source {
    let content: Content
    let hash: String
    /// A hidden file with the bytes, created when the name is known.
    var temporary: String?
  }

  /// Returns the first of `stem`, `stem-2`, `stem-3`… that is free or has these bytes already.
  private func freeName(
    _ stem: String, _ suffix: String, for url: String, from source: inout Source
  ) throws(ImageError) -> String {
    let wanted = "\(stem).\(suffix)"
    var number = numbers[wanted] ?? 1
    while true {
      let name = number == 1 ? wanted : "\(stem)-\(number).\(suffix)"
      number += 1
      let isOthers = owners[name].map { $0 != ExactString(url) } ?? false
      if !isOthers, try take(name, from: &source, known: nil) {
        numbers[wanted] = number
        return name
      }
    }
  }

  /// Places an image under a name, unless the name is taken.
  ///
  /// - Parameter known: The entry of the index for the file of that name.
  private func take(
    _ name: String, from source: inout Source, known: ExportIndex.Image?
  ) throws(ImageError) -> Bool {
    let target = path + "/" + name
    while true {
      guard let facts = Self.facts(target) else {
        if try publish(&source, as: target) { return true }
        continue
      }
      guard facts.st_mode & S_IFMT == S_IFREG, let present = Self.read(target).map(Self.hash)
      else { return false }
      if present == source.hash { return true }
      // Only an unchanged file of an earlier export is replaced by a new version of its URL.
      guard let known else { return false }
      let isOurs = known.sha256.map { $0 == present } ?? (known.bytes == Int(facts.st_size))
      guard isOurs else { return false }
      guard rename(try temporary(of: &source), target) == 0 else { throw Self.failure(target) }
      source.temporary = nil
      return true
    }
  }

  /// Places an image under a free name; `false` if it was taken meanwhile.
  private func publish(_ source: inout Source, as target: String) throws(ImageError) -> Bool {
    let temporary = try temporary(of: &source)
    // A link fails if the name is taken; a rename would replace the file.
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

  /// Whether a name in an index, which is not trusted, is a name in this folder.
  private static func isPlain(_ name: String) -> Bool {
    !name.hasPrefix(".") && !name.contains("/") && name.utf8.count < 250
      && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F } && name != indexName
  }

  // MARK: Files

  private func write(_ content: Content, to temporary: String) throws(ImageError) {
    switch content {
    case .cached(let source):
      if placement == .hardLink, link(source, temporary) == 0 { return }
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

  /// Renames a file that is not an index to the first free of `index-damaged.json`,
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

  private static func facts(_ path: String) -> stat? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? facts : nil
  }

  private static func hash(of content: Content) -> (hex: String, byteCount: Int?)? {
    switch content {
    case .bytes(let bytes): (hash(of: bytes), bytes.count)
    case .cached(let path):
      path.split(separator: "/").last.flatMap { BlobHash(hex: $0) }.map { ($0.hex, nil) }
        ?? read(path).map { (hash(of: $0), $0.count) }
    case .file(let path): read(path, followsLinks: true).map { (hash(of: $0), $0.count) }
    }
  }

  private static func hash(of bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes { SHA256.hash(of: $0) }.hex
  }

  /// Reads a regular file; `nil` for anything else, such as a pipe.
  private static func read(_ path: String, followsLinks: Bool = false) -> [UInt8]? {
    let file = systemOpen(
      path, O_RDONLY | (followsLinks ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = room.withUnsafeMutableBytes { systemRead(file, $0) }
      if count == 0 { return bytes }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      bytes += room[..<count]
    }
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

private func systemRead(_ file: Int32, _ room: UnsafeMutableRawBufferPointer) -> Int {
  read(file, room.baseAddress, room.count)
}
