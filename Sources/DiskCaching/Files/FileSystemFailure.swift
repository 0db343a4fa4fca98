import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  package import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#else
  package import Darwin
#endif

/// A failed system call: the error number and the file concerned.
package struct FileSystemFailure: Error {
  package let number: Int32
  package let path: String

  /// The path names a FIFO, a device or a directory where a regular file belongs.
  static func irregular(_ path: String) -> FileSystemFailure {
    FileSystemFailure(number: irregularNumber, path: path)
  }

  static func last(_ path: String) -> FileSystemFailure {
    FileSystemFailure(number: errno, path: path)
  }

  /// No call on a file of a cache fails with this number.
  private static let irregularNumber = ENOTTY
  static let notADirectory = ENOTDIR
  static let noPermission = EACCES
  static let absent = ENOENT

  package var isAbsent: Bool { number == ENOENT || number == ENOTDIR }

  /// The folder may have been removed by another process.
  var mayBeOfRemovedFolder: Bool { isAbsent || number == EPERM }

  package var exists: Bool { number == EEXIST }

  /// The file system has no room, or this user's share of it is used up.
  package var isFull: Bool { number == ENOSPC || number == EDQUOT || number == EFBIG }

  /// Something other than a regular file is at the path, or a symbolic link is part of it.
  package var isIrregular: Bool {
    // ENXIO: a socket. EISDIR: a directory, opened for writing.
    number == ELOOP || number == ENXIO || number == EISDIR || number == Self.irregularNumber
  }

  package var isForbidden: Bool {
    number == EACCES || number == EPERM || number == EROFS || number == ENOENT
      || number == ENOTDIR || isIrregular
  }

  /// The system's text, for example `No space left on device`.
  package var reason: String {
    switch number {
    case ELOOP: "the path contains a symbolic link"
    case Self.irregularNumber: "not a regular file"
    default: String(cString: strerror(number))
    }
  }

  /// The error that a caller of the cache gets for a failed store.
  var error: ImageError {
    let what = reason + (path.isEmpty ? "" : " (\(path))")
    if isFull {
      return ImageError(
        .diskFull,
        "the disk is full: \(what); free some space or use another DiskCache.Configuration.directory",
        cause: cause)
    }
    if isForbidden {
      return ImageError(.cacheUnusable, "the cache cannot be written to: \(what)", cause: cause)
    }
    return ImageError(.storeFailed, "the cache could not store it: \(what)", cause: cause)
  }

  var cause: POSIXError { POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO) }
}

extension ImageError {
  init(ofStore error: any Error) {
    switch error {
    case let error as ImageError: self = error
    case let failure as FileSystemFailure: self = failure.error
    default: self.init(.storeFailed, "the cache could not store it: \(error)", cause: error)
    }
  }
}

/// Calls a body, and throws any failure of it as the error that a caller of the cache gets.
func translatingErrors<Value>(_ body: () throws -> Value) throws(ImageError) -> Value {
  do { return try body() } catch { throw ImageError(ofStore: error) }
}
