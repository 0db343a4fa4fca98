import Foundation
import Testing

@testable import DiskCaching
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `An error` {
  @Test func `of a system call carries its number and says it once`() throws {
    let error = ImageError(.fileUnreadable, "cannot read a.jpg", errno: ENOENT)

    #expect(error.message == "cannot read a.jpg: No such file or directory")
    #expect("\(error)" == error.message)
    #expect((error.cause as? POSIXError)?.code == .ENOENT)
    #expect(ImageError(writing: "cannot write a.jpg", errno: ENOSPC).code == .diskFull)
    #expect(ImageError(writing: "cannot write a.jpg", errno: EIO).code == .storeFailed)
  }

  @Test func `says its cause where the message does not`() {
    struct Malformed: Error, CustomStringConvertible {
      let description = "database disk image is malformed"
      var message: String { description }
    }
    let cause = Malformed()

    let silent = ImageError(.cacheUnusable, "the index cannot be used", cause: cause)
    let spoken = ImageError(.cacheUnusable, "cannot be used: \(cause.message)", cause: cause)

    #expect("\(silent)" == "the index cannot be used (database disk image is malformed)")
    #expect("\(spoken)" == spoken.message)
    #expect("\(ImageError(.timedOut, "too late"))" == "too late")
  }

  @Test func `of the disk or the network has the cause that was reported`() async throws {
    let files = FaultyFileSystem()
    let scratch = try Scratch()
    let cache = try DiskCache(DiskCache.Configuration(directory: scratch / "c"), files: files)
    files.set(.init(call: 1, number: EACCES, lasts: true))
    let refused = imageError { try cache.core.stage() }
    files.set(.init())
    let failure = await (try FetcherFixture()).failure(of: "http://127.0.0.1:1/")

    #expect((refused?.cause as? POSIXError)?.code == .EACCES)
    #expect(failure?.code == .connectionFailed)
    #expect((failure?.cause as? CurlFailure)?.code == 7)
    #expect(failure?.description == failure?.message)
  }

  @Test func `code equals its string, also one of another module`() async throws {
    let code = ImageError.Code(rawValue: "day_not_found")

    #expect("\(ImageError.Code.timedOut)" == "timeout")
    #expect(ImageError.Code.known.contains(code))
    #expect(Set(ImageError.Code.known).count == ImageError.Code.known.count)
    var record = CacheRecord.stub(byteCount: nil, failure: code)
    record.expires = .distantFuture
    let scratch = try Scratch()
    let cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
    try cache.core.storeNegative(record)
    #expect(await cache.record(for: record.key)?.failure == code)
  }

  @Test func `of a file that is gone says that it may have been evicted`() throws {
    let scratch = try Scratch()
    let path = scratch / "gone"
    let response = DataResponse(
      "http://test.invalid/a.jpg", .file(path: path), byteCount: 4,
      original: .stub(byteCount: 4), source: .disk)

    let error = imageError { try response.bytes() }

    #expect(error?.code == .fileUnreadable)
    #expect(error?.message == "cannot read \(path): it may have been evicted")
  }
}
