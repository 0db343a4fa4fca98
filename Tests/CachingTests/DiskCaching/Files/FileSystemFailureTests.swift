import Foundation
import ImageModel
import Testing

@testable import DiskCaching

@Suite struct `A failed call of the file system` {
  private static let full = "; free some space or use another DiskCache.Configuration.directory"

  @Test(
    arguments: [
      (ENOSPC, ImageError.Code.diskFull, "the disk is full: No space left on device (/c/x)" + full),
      (EDQUOT, .diskFull, "the disk is full: Disk quota exceeded (/c/x)" + full),
      (EACCES, .cacheUnusable, "the cache cannot be written to: Permission denied (/c/x)"),
      (EROFS, .cacheUnusable, "the cache cannot be written to: Read-only file system (/c/x)"),
      (ENOENT, .cacheUnusable, "the cache cannot be written to: No such file or directory (/c/x)"),
      (
        ELOOP, .cacheUnusable,
        "the cache cannot be written to: the path contains a symbolic link (/c/x)"
      ),
      (EIO, .storeFailed, "the cache could not store it: Input/output error (/c/x)"),
      (EMFILE, .storeFailed, "the cache could not store it: Too many open files (/c/x)"),
    ] as [(Int32, ImageError.Code, String)])
  func `is an error with the reason and the file, if there is one`(
    number: Int32, code: ImageError.Code, message: String
  ) {
    let error = FileSystemFailure(number: number, path: "/c/x").error

    #expect(error.code == code)
    #expect(error.message == message)
    #expect((error.cause as? POSIXError)?.code.rawValue == number)
    #expect(
      FileSystemFailure(number: number, path: "").error.message
        == message.replacing(" (/c/x)", with: ""))
  }

  @Test func `of a file that is not a regular one says so`() {
    let failure = FileSystemFailure.irregular("/c/fifo")

    #expect(failure.isIrregular && failure.isForbidden && !failure.isAbsent && !failure.isFull)
    #expect(
      failure.error.message == "the cache cannot be written to: not a regular file (/c/fifo)")
  }

  @Test func `is absent, present, full or irregular by its number`() {
    func numbers(_ property: (FileSystemFailure) -> Bool) -> Set<Int32> {
      let all = [
        ENOENT, ENOTDIR, EEXIST, ENOSPC, EDQUOT, EFBIG, ELOOP, ENXIO, EISDIR, EIO, EACCES, EPERM,
        EROFS, EINTR,
      ]
      return Set(all.filter { property(FileSystemFailure(number: $0, path: "")) })
    }

    #expect(numbers(\.isAbsent) == [ENOENT, ENOTDIR])
    #expect(numbers(\.exists) == [EEXIST])
    #expect(numbers(\.isFull) == [ENOSPC, EDQUOT, EFBIG])
    #expect(numbers(\.isIrregular) == [ELOOP, ENXIO, EISDIR])
    #expect(
      numbers(\.isForbidden)
        == [EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP, ENXIO, EISDIR])
  }

  @Test func `of a change to the index is the error of a store, and other errors have theirs`() {
    struct Other: Error, CustomStringConvertible { let description = "odd" }
    let own = ImageError(.cacheFull, "full")

    #expect(ImageError(ofStore: own).message == "full")
    #expect(
      ImageError(ofStore: FileSystemFailure(number: EIO, path: "/x")).message
        == "the cache could not store it: Input/output error (/x)")
    #expect(ImageError(ofStore: Other()).message == "the cache could not store it: odd")
    #expect(ImageError(ofStore: Other()).code == .storeFailed)
  }
}
