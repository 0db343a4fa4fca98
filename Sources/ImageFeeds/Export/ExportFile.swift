import DiskCaching
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

/// The files of an export: whole or not there, and never read through a symbolic link.
enum ExportFile {
  enum Content {
    case bytes([UInt8])
    /// A file of the cache, which never changes and is named by its SHA-256; linked if links are
    /// requested.
    case cached(path: String)
    case file(path: String)
  }

  /// - Parameter path: The file as messages name it.
  static func stage(
    _ content: Content, in folder: String, path: String, links: Bool
  ) throws(ImageError) -> AtomicFile {
    switch content {
    case .cached(let source):
      return try AtomicFile(in: folder, path: path, copying: source, isLink: links)
    case .file(let source): return try AtomicFile(in: folder, path: path, copying: source)
    case .bytes(let bytes):
      let file = try AtomicFile(in: folder, path: path)
      try file.write(bytes.span.bytes)
      return file
    }
  }

  static func facts(_ path: String) -> stat? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? facts : nil
  }

  /// The digest of the bytes, and their number where that was counted; `nil` for a file that cannot
  /// be read.
  static func hash(of content: Content) -> (hex: String, byteCount: Int?)? {
    switch content {
    case .bytes(let bytes): (hash(of: bytes), bytes.count)
    case .cached(let path):
      path.split(separator: "/").last.flatMap { BlobHash(hex: $0) }.map { ($0.hex, nil) }
        ?? read(path).map { (hash(of: $0), $0.count) }
    case .file(let path): read(path, followsLinks: true).map { (hash(of: $0), $0.count) }
    }
  }

  static func hash(of bytes: [UInt8]) -> String {
    bytes.withUnsafeBytes { SHA256.hash(of: $0) }.hex
  }

  static func makeFolder(_ path: String) throws(ImageError) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      let reason = (error as? CocoaError)?.underlying as? POSIXError
      throw ImageError(
        writing: "cannot create the export folder \(path)", errno: reason?.code.rawValue ?? EIO)
    }
  }

  /// Opens a folder and waits until no other export has it open; closing it lets others in.
  static func lock(folder path: String, followsLinks: Bool = false) throws(ImageError) -> Int32 {
    let folder = open(path, O_RDONLY | O_DIRECTORY | (followsLinks ? 0 : O_NOFOLLOW) | O_CLOEXEC)
    guard folder >= 0 else {
      throw ImageError(
        .storeFailed, "cannot export to \(path): not a directory; symbolic links are not followed")
    }
    // Without locks of the file system, exclusive names still keep files apart.
    while flock(folder, LOCK_EX | LOCK_NB) != 0, errno == EINTR || errno == EWOULDBLOCK {
      if Task.isCancelled {
        close(folder)
        throw ImageError(
          .init(rawValue: "interrupted"), "interrupted while another export has \(path) open")
      }
      usleep(20_000)
    }
    return folder
  }

  /// A hidden name in a folder that no other run chooses.
  static func temporaryName(in folder: String, for what: String) -> String {
    "\(folder)/.\(what).\(getpid()).\(UInt32.random(in: 0 ... .max)).part"
  }

  /// Removes what processes that have ended left under names of ``temporaryName(in:for:)``.
  static func removeLeftovers(in folder: String, of what: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(".\(what).") && name.hasSuffix(".part") {
      let parts = name.dropFirst(what.count + 2).split(separator: ".")
      guard parts.count == 3, let process = pid_t(parts[0]), UInt32(parts[1]) != nil,
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
  }

  /// The first bytes of a file; none if it cannot be read.
  static func beginning(of path: String, _ count: Int) -> [UInt8] {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    let readCount = pread(file, &bytes, count, 0)
    return Array(bytes.prefix(max(0, readCount)))
  }

  static func read(_ path: String, followsLinks: Bool = false) -> [UInt8]? {
    var bytes: [UInt8] = []
    let isRead = (try? read(path, followsLinks: followsLinks) { bytes += $0 }) != nil
    return isRead ? bytes : nil
  }

  static func read(
    _ path: String, followsLinks: Bool = false,
    _ take: (UnsafeRawBufferPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    func unreadable() -> ImageError { ImageError(.storeFailed, "cannot read \(path)") }
    let file = open(path, O_RDONLY | (followsLinks ? 0 : O_NOFOLLOW) | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw unreadable() }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { throw unreadable() }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { room.deallocate() }
    var offset = 0
    while true {
      let count = pread(file, room.baseAddress, room.count, off_t(offset))
      if count == 0 { return }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw unreadable() }
      offset += count
      try take(UnsafeRawBufferPointer(rebasing: room[..<count]))
    }
  }

  static func failure(_ path: String) -> ImageError {
    ImageError(writing: "cannot write \(path)", errno: errno)
  }
}
