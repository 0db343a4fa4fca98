import Foundation
import ImageModel
import Testing

@testable import imgcache
@testable import TestSupport

@Suite struct `A file named on the command line` {
  private func error(_ path: String, maximum: Int = 1 << 20) -> ImageError? {
    #expect(throws: ImageError.self) { try InputFile.read(path, maximum: maximum) }
  }

  @Test(arguments: [0, 1, 65_536, 200_000])
  func `is read whole, at its limit, too`(count: Int) throws {
    let scratch = try Scratch()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let path = try scratch.write(bytes, to: "file")

    #expect(try InputFile.read(path, maximum: count) == bytes)
    if count > 0 { #expect(error(path, maximum: count - 1)?.code == .limitExceeded) }
  }

  @Test func `is refused with its name and the reason`() throws {
    let scratch = try Scratch()
    try scratch.write("", to: "folder/file")

    let absent = try #require(error(scratch / "absent"))
    let folder = try #require(error(scratch / "folder"))

    #expect(absent.code == .fileUnreadable && folder.code == .fileUnreadable)
    #expect(absent.message.contains(scratch / "absent"))
    #expect(absent.message.contains("No such file"))
    #expect(folder.message == "cannot read \(scratch / "folder"): it is a directory")
    let named = #expect(throws: ImageError.self) {
      try InputFile.read("/absent/file", maximum: 1, namedBy: "--sign-key-file")
    }
    #expect(named?.code == .invalidArgument)
    #expect(named?.message.hasPrefix("--sign-key-file: cannot read /absent/file") == true)
  }

  @Test func `without a length is read to its end, and no further than the limit`() throws {
    // The files of /proc have a length of 0.
    let bytes = try InputFile.read("/proc/self/status", maximum: 1 << 20)

    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("Name:"))
    #expect(error("/proc/self/status", maximum: 16)?.code == .limitExceeded)
    #expect(error("/dev/zero", maximum: 100_000)?.code == .limitExceeded)
    #expect(try InputFile.read("/dev/null", maximum: 0).isEmpty)
  }

  @Test func `may be a pipe`() async throws {
    let scratch = try Scratch()
    let path = scratch / "pipe"
    try #require(mkfifo(path, 0o600) == 0)
    let bytes = [UInt8](repeating: 9, count: 150_000)

    async let written: Void = OffPool.run {
      try Data(bytes).write(to: URL(fileURLWithPath: path), options: [])
    }
    let read = try await OffPool.run { try InputFile.read(path, maximum: 1 << 20) }
    try await written

    #expect(read == bytes)
  }
}

@Suite struct `A file that lines will be appended to` {
  @Test func `is not left behind by the check, nor changed where it exists`() throws {
    let scratch = try Scratch()
    try scratch.write("line\n", to: "log")
    try #require(mkfifo(scratch / "pipe", 0o600) == 0)

    for name in ["log", "new", "pipe"] { try OutputFile.checkAppending(to: scratch / name) }

    #expect(try scratch.text(of: "log") == "line\n" && !scratch.has("new"))
  }
}

@Suite struct `The access log` {
  private func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  @Test func `stays where it is if another file cannot be opened`() async throws {
    let scratch = try Scratch()
    let path = scratch / "log"
    let log = try LogFile(path: path)

    let error = #expect(throws: ImageError.self) { try log.reopen(at: scratch / "absent/log") }
    log.line("still here")
    await Condition.until { self.text(path) == "still here\n" }
    // The former path, not the one that failed.
    try log.reopen()

    #expect(error?.code == .storeFailed)
    #expect(text(path) == "still here\n")
  }
}
