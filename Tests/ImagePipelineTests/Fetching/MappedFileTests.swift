import Foundation
import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct `A mapped file` {
  private func bytes(_ path: String, _ byteCount: Int) throws -> [UInt8] {
    try MappedFile(path: path, byteCount: byteCount).withBytes { span in
      span.withUnsafeBytes { [UInt8]($0) }
    }
  }

  private func failure(_ path: String, _ byteCount: Int = 1) -> ImageError? {
    imageError { _ = try bytes(path, byteCount) }
  }

  private func write(_ bytes: [UInt8], _ path: String) {
    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
  }

  @Test(arguments: [0, 1, 4096, 5000])
  func `has the first bytes of the file`(byteCount: Int) throws {
    let scratch = try Scratch()
    let all = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
    write(all, scratch / "a")

    #expect(try bytes(scratch / "a", byteCount) == Array(all[..<byteCount]))
  }

  @Test func `keeps its bytes after the file was removed`() throws {
    let scratch = try Scratch()
    write([1, 2, 3], scratch / "a")
    let file = try MappedFile(path: scratch / "a", byteCount: 3)
    try FileManager.default.removeItem(atPath: scratch / "a")

    let bytes = try file.withBytes { span in span.withUnsafeBytes { [UInt8]($0) } }
    #expect(bytes == [1, 2, 3])
  }

  @Test func `is refused if the file is shorter than its record says`() throws {
    let scratch = try Scratch()
    write([1, 2, 3], scratch / "a")
    let error = failure(scratch / "a", 4)

    #expect(error?.code == .fileUnreadable)
    #expect(error?.message.contains("4 bytes") == true)
    #expect(error?.message.contains(scratch / "a") == true)
    #expect(failure(scratch / "absent")?.message.contains("No such file") == true)
  }

  @Test(arguments: ["link", "folder", "pipe"])
  func `is refused if something else is in its place, without waiting`(kind: String) throws {
    let scratch = try Scratch()
    let path = scratch / "a"
    switch kind {
    case "link":
      write([1, 2, 3], scratch / "b")
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: scratch / "b")
    case "folder":
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    default: #expect(mkfifo(path, 0o600) == 0)
    }

    #expect(failure(path, 1)?.code == .fileUnreadable)
  }
}
