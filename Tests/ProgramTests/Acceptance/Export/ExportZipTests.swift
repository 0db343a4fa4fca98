import Foundation
import Testing

@testable import ImageFeeds
@testable import ImageModel
@testable import TestSupport

/// ZIP files of exports: large ones, hostile ones, and those of a run that was killed. They are read
/// by Python's `zipfile` and by `unzip`.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct `ZIP files of exports` {
  private static let isUnzipInstalled =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/unzip")

  /// The number of entries, and the bytes of all, if the file is whole.
  private func entries(of zip: String) async throws -> (count: Int, byteCount: Int) {
    let script = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1]) as z:
          assert z.testzip() is None
          print(len(z.infolist()), sum(i.file_size for i in z.infolist()))
      """
    let outcome = try await Tool(path: "python3").run(["-c", script, zip])
    #expect(outcome.status == 0, "\(outcome.errors)")
    if Self.isUnzipInstalled {
      #expect(try await Tool(path: "/usr/bin/unzip").run(["-tqq", zip]).status == 0)
    }
    let numbers = outcome.output.split { $0.isWhitespace }.compactMap { Int($0) }
    try #require(numbers.count == 2)
    return (numbers[0], numbers[1])
  }

  @Test(.isLong) func `more entries than 16 bits count are all there`() async throws {
    let scratch = try Scratch()
    let folder = scratch / "days"
    let count = CampaignSize.isFull ? 200_000 : 66_000
    // A file has so many names at most, on ext4.
    var source = try scratch.write("x", to: "days/20200616/0.png")
    for number in 1..<count {
      let name = folder + "/20200616/\(number).png"
      if number % 50_000 == 0 {
        source = try scratch.write("x", to: "days/20200616/\(number).png")
      } else {
        try #require(link(source, name) == 0)
      }
    }

    try ZipArchive.write(folder, to: scratch / "days.zip", comment: "imgcache export")

    #expect(try await entries(of: scratch / "days.zip") == (count, count))
    #expect(ZipArchive.hasComment("imgcache export", scratch / "days.zip"))
  }

  @Test(.enabled(if: CampaignSize.isFull, "needs IMGCACHE_CAMPAIGN=full"))
  func `a file of more bytes than 32 bits count is whole, and so is what follows it`() async throws
  {
    let scratch = try Scratch()
    let size = (4 << 30) + 5
    // Compressed, it takes little room; stored, all of it.
    for name in ["a.json", "b.png", "c.png"] {
      let path = try scratch.write("x", to: "days/20200616/" + name)
      if name != "c.png" { try #require(truncate(path, off_t(size)) == 0) }
    }

    try ZipArchive.write(scratch / "days", to: scratch / "days.zip", comment: "imgcache export")

    #expect(try await entries(of: scratch / "days.zip") == (3, 2 * size + 1))
  }

  @Test(.needsProgram) func `a hostile file is refused and stays as it is`() async throws {
    let files = [
      "add('../outside')", "add('20200617/../../outside')", "add('/tmp/imgcache-outside')",
      "add('a\\\\..\\\\outside')", "add('nul\\0l')",
      "add('20200617', b'../..', 0o120777); add('20200617/outside')",
      "add('20200617'); add('20200617/outside')", "add('20200617/a'); add('20200617/a')",
      "add('x' * 300)", "add('a/' * 3000 + 'x')",
    ]
    // With the comment of an export.
    let script = """
      import sys, zipfile, warnings
      warnings.simplefilter('ignore')
      def add(name, data=b'x', mode=0o100644):
          info = zipfile.ZipInfo('x')
          info.filename = name
          info.external_attr = mode << 16
          z.writestr(info, data)
      for number, entries in enumerate(sys.argv[2:]):
          with zipfile.ZipFile(f'{sys.argv[1]}/{number}.zip', 'w') as z:
              z.comment = b'imgcache export'
              exec(entries)
      """
    let origin = try FeedOrigin(images: ["a"])
    let (cache, out) = (try Scratch(), try Scratch())
    let crafted = try await Tool(path: "python3").run(["-c", script, out.path] + files)
    #expect(crafted.status == 0, "\(crafted.errors)")
    let names = out.names()
    #expect(names.count == files.count)

    for (number, entries) in files.enumerated() {
      let before = try out.bytes(of: "\(number).zip")

      let report = try await Tool.prefetch(
        cache, ["--feed", origin.list("/1.txt", ["a"]), "--export", out / "\(number).zip"])

      #expect(report.status == 2, "\(entries): \(report.errors)")
      #expect(report.errors.contains("\(number).zip"))
      #expect(try out.bytes(of: "\(number).zip") == before)
    }
    #expect(out.names() == names)
    #expect(!FileManager.default.fileExists(atPath: "/tmp/imgcache-outside"))
  }

  @Test(.needsProgram)
  func `a killed run leaves the file whole, and the next one tidies up`() async throws {
    let (cache, out) = (try Scratch(), try Scratch())
    let zip = out / "days.zip"
    func prefetch(_ day: String) -> [String] {
      [
        "prefetch", "--sample", "--bodies", day, "--export", zip, "--cache-dir", cache / "cache",
      ]
    }
    #expect(try await Tool.imgcache.run(prefetch("20260110")).status == 0)
    let before = try await entries(of: zip)
    let path = out.path

    for stage in ["/days", "/export.zip"] {
      let number = try Self.fileNumber(zip)
      _ = try await Tool.imgcache.run(prefetch("20260111")) {
        // While the file is made, or when another one has replaced it.
        await Condition.until {
          let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
          return names.contains {
            $0.hasSuffix(".part")
              && FileManager.default.fileExists(atPath: "\(path)/\($0)\(stage)")
          } || (try? Self.fileNumber(zip)) != number
        }
      }
      let now = try await entries(of: zip)
      #expect(now.count >= before.count && now.byteCount >= before.byteCount)
    }

    #expect(try await Tool.imgcache.run(prefetch("20260111")).status == 0)
    #expect(try await entries(of: zip).count > before.count)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["days.zip"])
  }

  private static func fileNumber(_ path: String) throws -> UInt64 {
    var facts = stat()
    try #require(lstat(path, &facts) == 0)
    return UInt64(facts.st_ino)
  }
}
