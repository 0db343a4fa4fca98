import CPlatform
import HTTPTypes
import ImageModel
#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension FileFetcher {
  /// Answers for a file below a directory as an origin does: 200, 304 where the request has its
  /// validator, or 404. The response is stale at once, so that each use of it asks here.
  ///
  /// - Throws: ``ImageError``: `hostNotAllowed` for an unknown directory, a dot name, a link out of
  ///   it, and what is not a regular file or may not be read. No message has the directory's path.
  static func response(
    to request: FetchRequest, at address: LocalAddress, _ roots: [String: String]
  ) throws(ImageError) -> FetchedResponse {
    let refusal = ImageError(
      .hostNotAllowed,
      "\(request.url) is not a file that HTTPFetcher.Configuration.localRoots allows",
      url: request.url)
    guard let root = roots[address.root], !address.hasDotNames else { throw refusal }
    let folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw unreadable(request.url) }
    defer { close(folder) }
    for _ in 0..<3 {
      let file = imgc_file_open_below(folder, address.path)
      guard file >= 0 else {
        switch errno {
        case ENOENT, ENOTDIR, ENAMETOOLONG:
          let head = ResponseHead(
            url: request.url, status: 404, fields: [.cacheControl: "no-store"])
          return FetchedResponse(head: head, body: .bytes([]))
        case EXDEV, ELOOP, EACCES, EPERM, ENXIO: throw refusal
        default: throw unreadable(request.url)
        }
      }
      defer { close(file) }
      guard let before = FileVersion(file) else { throw unreadable(request.url) }
      guard before.isRegular else { throw refusal }
      if request.headers[fields: .ifNoneMatch].contains(where: { $0.value == before.entityTag }) {
        return FetchedResponse(head: before.head(of: request.url, 304), body: .bytes([]))
      }
      let maximum = request.limits.maximumByteCount
      guard before.byteCount <= maximum else {
        throw ImageError(
          .tooLarge, "\(request.url) is larger than \(maximum) bytes", url: request.url)
      }
      guard before.byteCount > 0 else {
        throw ImageError(.emptyBody, "\(request.url) is empty", url: request.url)
      }
      let bytes = contents(of: file, before.byteCount)
      // Bytes of two versions of a file that is written in place are not an image.
      guard bytes.count == before.byteCount, FileVersion(file) == before else { continue }
      return FetchedResponse(head: before.head(of: request.url, 200), body: .bytes(bytes))
    }
    throw ImageError(
      .shortBody, "\(request.url) changes while it is being read", url: request.url)
  }

  private static func contents(of file: Int32, _ byteCount: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      while count < byteCount {
        let read = pread(
          file, buffer.baseAddress?.advanced(by: count), byteCount - count, off_t(count))
        if read < 0, errno == EINTR { continue }
        guard read > 0 else { return }
        count += read
      }
    }
  }

  private static func unreadable(_ url: String) -> ImageError {
    ImageError(.fileUnreadable, "cannot read \(url)", errno: errno)
  }
}

/// What tells one version of a file from another.
private struct FileVersion: Equatable {
  let isRegular: Bool
  let byteCount: Int
  private let file: UInt64
  private let modified: (seconds: Int, nanoseconds: Int)
  private let changed: (seconds: Int, nanoseconds: Int)

  init?(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    isRegular = status.st_mode & S_IFMT == S_IFREG
    byteCount = Int(status.st_size)
    file = UInt64(status.st_ino)
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    self.modified = (modified.tv_sec, modified.tv_nsec)
    self.changed = (changed.tv_sec, changed.tv_nsec)
  }

  static func == (one: Self, other: Self) -> Bool {
    one.entityTag == other.entityTag && one.changed == other.changed
  }

  var entityTag: String {
    "\"\(byteCount)-\(modified.seconds)-\(modified.nanoseconds)-\(file)\""
  }

  func head(of url: String, _ status: Int) -> ResponseHead {
    ResponseHead(
      url: url, status: status,
      fields: [
        .eTag: entityTag,
        .lastModified: HTTPDate.format(Date(timeIntervalSince1970: Double(modified.seconds))),
        .cacheControl: "max-age=0, must-revalidate",
      ])
  }
}
