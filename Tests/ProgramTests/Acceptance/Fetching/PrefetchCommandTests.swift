import Foundation
import ImageCodecs
import ImageModel
import Testing

@testable import ImageFeeds
@testable import SampleFeed
@testable import imgcache
@testable import TestSupport

/// `imgcache prefetch` as a script drives it. Scripts rely on its options, JSON keys and exit
/// codes.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `The prefetch command` {
  @Test func `each image is one record, and the summary totals them`() async throws {
    let origin = try ListOrigin(count: 3)
    defer { origin.stop() }
    let cache = try Scratch()

    let report = try await Tool.prefetch(cache, ["--feed", origin.feed])

    #expect(report.status == 0, "\(report.errors)")
    #expect(report.records.count == report.output.split(separator: "\n").count)
    #expect(report.records("day").count == 1 && report.images.count == 3)
    for image in report.images {
      #expect(image["role"] as? String == "story" && image["story_id"] as? String == "list")
      #expect(image["status"] as? String == "ok" && image["source"] as? String == "network")
      #expect(image["format"] as? String == "png" && image["frames"] as? Int == 1)
      #expect(image["height"] as? Int == 8 && image["bytes"] is Int && image["ms"] is Int)
    }
    let summary = report.summary
    for key in ["images", "downloaded", "requests"] { #expect(summary[key] as? Int == 3, "\(key)") }
    for key in ["revalidated", "cached", "failed", "thumbnails"] {
      #expect(summary[key] as? Int == 0, "\(key)")
    }
    for key in ["bytes_downloaded", "bytes_stored", "elapsed_ms"] {
      #expect(summary[key] is Int, "\(key)")
    }
    #expect((summary["days"] as? [String])?.count == 1)
  }

  @Test func `fresh entries are not requested, unless they are to be revalidated`() async throws {
    let origin = try ListOrigin(count: 3)
    defer { origin.stop() }
    let cache = try Scratch()
    _ = try await Tool.prefetch(cache, ["--feed", origin.feed])

    let second = try await Tool.prefetch(cache, ["--feed", origin.feed])
    let third = try await Tool.prefetch(cache, ["--feed", origin.feed, "--revalidate"])

    #expect(second.summary["cached"] as? Int == 3 && second.summary["requests"] as? Int == 0)
    #expect(third.summary["revalidated"] as? Int == 3 && third.summary["requests"] as? Int == 3)
    #expect(origin.pictureRequests.suffix(3).allSatisfy { $0["if-none-match"] != nil })
    #expect(origin.pictureRequests.count == 6)
  }

  @Test func `offline, nothing is requested and missing images are reported`() async throws {
    let origin = try ListOrigin(count: 2)
    let cache = try Scratch()
    _ = try await Tool.prefetch(cache, ["--feed", origin.feed])
    origin.stop()

    let kept = try await Tool.prefetch(cache, ["--feed", origin.feed, "--offline"])
    let list = (origin.urls + ["http://127.0.0.1:1/absent.png"]).joined(separator: "\n")
    let mixed = try await Tool.prefetch(cache, ["--feed", "-", "--offline"], input: list)

    #expect(kept.status == 0 && kept.summary["cached"] as? Int == 2)
    #expect(mixed.status == 1)
    #expect(mixed.codes == ["http://127.0.0.1:1/absent.png": "not_cached"])
  }

  @Test func `a dry run fetches no image and reports what it would fetch`() async throws {
    let origin = try ListOrigin(count: 2)
    defer { origin.stop() }
    let cache = try Scratch()

    let report = try await Tool.prefetch(cache, ["--feed", origin.feed, "--dry-run"])

    #expect(report.status == 0 && Set(report.urls) == Set(origin.urls))
    #expect(report.summary["images"] as? Int == 2)
    #expect(report.summary["downloaded"] as? Int == 0)
    #expect(origin.pictureRequests.isEmpty)
    #expect(try await Tool.paths(of: origin.urls, in: cache) == nil)
  }

  @Test func `the summary of an interrupted run differs from a finished one`() async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 4, holding: gate)
    defer {
      gate.open()
      origin.stop()
    }
    let (cache, files) = (try Scratch(), try Scratch())

    let child = try Tool.imgcache.start(
      ["prefetch", "--feed", origin.feed, "--cache-dir", cache / "cache"], writingTo: files)
    await gate.arrivals(1)
    child.signal(SIGTERM)
    let ended = try await child.end()

    let output = try String(contentsOfFile: files / "output", encoding: .utf8)
    #expect(ended == 143)
    #expect(output.contains("interrupted: 0 of 4 images; run again to continue"))
    #expect(!output.contains(": 0 images"))
  }

  @Test func `an interrupted run ends with its summary as JSON`() async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 4, holding: gate)
    defer {
      gate.open()
      origin.stop()
    }
    let (cache, files) = (try Scratch(), try Scratch())

    let child = try Tool.imgcache.start(
      ["prefetch", "--json", "--feed", origin.feed, "--cache-dir", cache / "cache"],
      writingTo: files)
    await gate.arrivals(1)
    child.signal(SIGINT)
    let ended = try await child.end()

    let lines = try String(contentsOfFile: files / "output", encoding: .utf8)
      .split(separator: "\n")
    #expect(ended == 130)
    #expect(lines.last?.contains(#""event":"summary""#) == true, "\(lines)")
    #expect(lines.allSatisfy { !$0.contains(#""event":"error""#) })
  }

  @Test func `ok is printed of stored images alone`() async throws {
    let origin = try ListOrigin(count: 100)
    defer { origin.stop() }
    let cache = try Scratch()

    let outcome = try await Tool.imgcache.run([
      "prefetch", "--feed", origin.feed, "--max-size", "300KiB", "--no-keep", "--cache-dir",
      cache / "cache",
    ])
    let listed = try await Tool.imgcache.run(["ls", "--json", "--cache-dir", cache / "cache"])

    #expect(outcome.status == 2, "\(outcome.errors)")
    let said = outcome.output.split(separator: "\n").filter { $0.hasPrefix("ok\t") }
      .compactMap { $0.split(separator: "\t").last.map(String.init) }
    let stored = try listed.objects().compactMap { $0["url"] as? String }
      .filter { $0.hasSuffix(".png") }
    #expect(!said.isEmpty && said.count < 100)
    #expect(said.sorted() == stored.sorted())
  }

  @Test func `a feed file that cannot be read fails its day, and other feeds are fetched`()
    async throws
  {
    let origin = try ListOrigin(count: 2)
    defer { origin.stop() }
    let cache = try Scratch()

    let report = try await Tool.prefetch(
      cache, ["--feed", cache / "absent.xml", "--feed", origin.feed, "--feed", cache.path])

    let failed = report.records("day").filter { $0["status"] as? String == "failed" }
    #expect(report.status == 1 && report.images.count == 2)
    #expect(failed.count == 2 && report.records("day").count == 3)
    #expect(Set(report.errorCodes) == ["file_unreadable"])
    for day in failed {
      for key in ["stories", "top_stories", "images"] { #expect(day[key] as? Int == 0, "\(key)") }
    }
    #expect(report.records.last?["event"] as? String == "summary")
    #expect(report.summary["downloaded"] as? Int == 2)
    #expect(report.errors.contains("absent.xml: No such file or directory"))
  }

  @Test func `hundreds of equal failures are grouped, and each is a record`() async throws {
    let origin = try ListOrigin(count: 20, missing: Set(1..<20))
    defer { origin.stop() }
    let cache = try Scratch()

    let report = try await Tool.prefetch(cache, ["--feed", origin.feed])
    let verbose = try await Tool.prefetch(cache, ["--feed", origin.feed, "--verbose"])

    let lines = report.errors.split(separator: "\n")
    #expect(report.status == 1 && report.failed.count == 19)
    #expect(lines.count { $0.hasPrefix("error: ") } == MessageGroups.writtenCount + 1)
    #expect(lines.last == "error: 16 more images of 127.0.0.1: HTTP 404")
    #expect(verbose.errors.split(separator: "\n").count { $0.hasPrefix("error: ") } == 19)
  }

  @Test func `an export has readable names, an index, and placeholders for failed images`()
    async throws
  {
    let origin = try ListOrigin(count: 3, missing: [1])
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let placeholder = out / "placeholder.gif"
    let size = PixelSize(width: 1, height: 1)
    let pixel = PixelBuffer(size: size, bytes: [0, 0, 0, 255])
    let gif = try ImageCodecs.encodeGIF([AnimationFrame(pixels: pixel, delay: .zero)])
    try Data(gif).write(to: URL(fileURLWithPath: placeholder))

    let report = try await Tool.prefetch(
      cache,
      ["--feed", origin.feed, "--export", out / "days", "--placeholder", placeholder])

    #expect(report.status == 1 && report.codes == [origin.urls[1]: "http_status"])
    let day = try #require((report.summary["days"] as? [String])?.first)
    let folder = "\(out / "days")/\(day)"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(
      files == [
        "index.html", "index.json", "story-list-0.png", "story-list-1.gif", "story-list-2.png",
      ])
    let index = try JSONSerialization.jsonObject(
      with: Data(contentsOf: URL(fileURLWithPath: folder + "/index.json")))
    let images = (index as? [String: Any])?["images"] as? [[String: Any]]
    #expect(images?.compactMap { $0["url"] as? String } == origin.urls)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder + "/story-list-1.gif")) == Data(gif))
    #expect(try await Tool.paths(of: [origin.urls[1]], in: cache) == nil)
  }

  @Test func `--export-links makes hard links to the cache's files`() async throws {
    let origin = try ListOrigin(count: 1)
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())

    _ = try await Tool.prefetch(
      cache, ["--feed", origin.feed, "--export", out / "days", "--export-links"])
    _ = try await Tool.prefetch(cache, ["--feed", origin.feed, "--export", out / "copies"])

    func links(_ folder: String) throws -> [Int] {
      let day = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).min())
      let attributes = try FileManager.default.attributesOfItem(
        atPath: "\(folder)/\(day)/story-list-0.png")
      return [attributes[.referenceCount] as? Int ?? 0]
    }
    #expect(try links(out / "days") == [2])
    #expect(try links(out / "copies") == [1])
  }

  @Test func `thumbnails are made once and stored`() async throws {
    let origin = try ListOrigin(count: 2)
    defer { origin.stop() }
    let cache = try Scratch()
    let arguments = ["--feed", origin.feed, "--thumbnails", "4x4", "--thumbnails", "6x3:contain"]

    let first = try await Tool.prefetch(cache, arguments)
    let path = try await Tool.imgcache.run([
      "path", origin.urls[0], "--size", "4x4", "--cache-dir", cache / "cache",
    ])

    #expect(first.status == 0, "\(first.errors)")
    #expect(first.summary["thumbnails"] as? Int == 4)
    #expect(path.status == 0 && path.output.hasPrefix("/"))
  }

  @Test func `a trace has a line for each access, and grows`() async throws {
    let origin = try ListOrigin(count: 2)
    defer { origin.stop() }
    let cache = try Scratch()
    let trace = cache / "trace.csv"

    for _ in 0..<2 {
      _ = try await Tool.prefetch(cache, ["--feed", origin.feed, "--record-trace", trace])
    }

    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines.allSatisfy { $0.split(separator: ",").count == 3 })
    #expect(lines.allSatisfy { line in origin.urls.contains { line.contains($0) } })
  }

  @Test func `thumbnails and failures are accesses too, and the trace can be simulated`()
    async throws
  {
    let origin = try ListOrigin(count: 3, missing: [2])
    defer { origin.stop() }
    let cache = try Scratch()
    let trace = cache / "trace.csv"

    for _ in 0..<2 {
      _ = try await Tool.prefetch(
        cache, ["--feed", origin.feed, "--thumbnails", "4x4", "--record-trace", trace])
    }
    let row = try #require(
      try await Tool.imgcache.run(
        ["simulate", trace, "--policy", "inf", "--capacity", "1%", "--json"]
      ).objects().first)

    let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 10)
    #expect(lines.count { $0.contains("#") } == 4)
    #expect(lines.count { $0.contains(origin.urls[2] + ",0") } == 2)
    #expect(row["requests"] as? Int == 10)
    #expect(row["hits"] as? Int == 5)
  }

  @Test func `variables override options of a file, and the command line overrides both`()
    async throws
  {
    let origin = try ListOrigin(count: 1)
    defer { origin.stop() }
    let folder = try Scratch()
    try Data("feed: \(origin.feed)\njson: true\ncache-dir: \(folder / "file")\n".utf8)
      .write(to: URL(fileURLWithPath: folder / "c.yaml"))
    try Data(#"{"feed": ["\#(origin.feed)"], "cache-dir": "\#(folder / "json")"}"#.utf8)
      .write(to: URL(fileURLWithPath: folder / "c.json"))
    var tool = Tool.imgcache

    let fromFile = PrefetchReport(
      try await tool.run(["prefetch", "--config", folder / "c.yaml"]))
    #expect(fromFile.summary["images"] as? Int == 1, "\(fromFile.errors)")
    #expect(try await tool.run(["prefetch", "--config", folder / "c.json"]).status == 0)
    tool.environment = ["IMGCACHE_CACHE_DIR": folder / "variable"]
    #expect(try await tool.run(["prefetch", "--config", folder / "c.yaml"]).status == 0)
    let line = ["prefetch", "--config", folder / "c.yaml", "--cache-dir", folder / "line"]
    #expect(try await tool.run(line).status == 0)

    let made = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(made).isSuperset(of: ["file", "json", "variable", "line"]))
  }

  @Test(arguments: [
    ["--nonsense"], ["2016-02-30"], ["20160323...20160322"], ["--concurrency", "0"],
    ["--check", "maybe"], ["--thumbnails", "0x0"], ["--thumbnails", "10x10:round"],
    ["--api", "ftp://example.org"], ["--feed", "http://"], ["--sample", "--feed", "x"],
    ["--max-bytes", "-1"],
    ["--revalidate", "--offline"], ["--days", "0"], ["--config", "/nonexistent.yaml"],
  ])
  func `misuse is exit 64, with a line on stderr and nothing but its object on stdout`(
    arguments: [String]
  ) async throws {
    // A cache that cannot be opened does not hide it.
    var tool = Tool.imgcache
    tool.environment = ["IMGCACHE_DIR": "/dev/null/cache"]
    let text = try await tool.run(["prefetch"] + arguments)
    let report = try await Tool.prefetch(try Scratch(), arguments)

    #expect(text.status == 64 && report.status == 64)
    #expect(!text.errors.isEmpty && text.output.isEmpty)
    #expect(!report.errors.isEmpty && report.errorCodes == ["invalid_argument"])
  }

  @Test func `a warm run whose images exceed the limit says so, and removes nothing`() async throws
  {
    let origin = try ListOrigin(count: 40)
    defer { origin.stop() }
    let cache = try Scratch()
    let first = try await Tool.prefetch(cache, ["--feed", origin.feed, "--no-keep"])
    let before = try await Tool.imgcache.run(["ls", "--json", "--cache-dir", cache / "cache"])

    let warm = try await Tool.imgcache.run([
      "prefetch", "--feed", origin.feed, "--max-size", "50KiB", "--no-keep", "--cache-dir",
      cache / "cache",
    ])
    let after = try await Tool.imgcache.run(["ls", "--json", "--cache-dir", cache / "cache"])

    #expect(first.status == 0)
    #expect(warm.status == 2, "\(warm.output)")
    #expect(warm.errors.contains("--max-size"), "\(warm.errors)")
    #expect(try after.objects().count == before.objects().count)
  }

  @Test func `what the XML parser says of a feed is not repeated`() async throws {
    let origin = try FeedOrigin(images: ["a"])
    defer { origin.stop() }
    let image = origin.image("a")
    origin.origin["/feed.xml"] = [
      .whole(
        Array(
          """
          <rss><channel><x xml:id="i">\u{9B}31m\u{202E}</x><x xml:id="i"/><x xml:id="1 2"/>
          <item><guid>1</guid><pubDate>2020-06-17</pubDate><y:z/><enclosure type="image/png"
          url="\(image)"/></item></channel></rss>
          """.utf8))
    ]

    let outcome = try await Tool.imgcache.run([
      "prefetch", "--quiet", "--feed", origin.url("/feed.xml"), "--cache-dir", Scratch() / "cache",
    ])

    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(origin.imageRequests == ["/a.png"])
  }

  #if os(Linux)
    @Test(arguments: [".", "20200617"])
    func `SIGINT ends the wait for another export of the folder`(locked: String) async throws {
      let origin = try FeedOrigin(images: ["a"])
      defer { origin.stop() }
      let scratch = try Scratch()
      let folder = scratch / "days/\(locked)"
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      let lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(lock) }
      #expect(flock(lock, LOCK_EX) == 0)

      let child = try Tool.imgcache.start(
        [
          "prefetch", "--feed", origin.list("/list.xml", ["a"]), "--export", scratch / "days",
          "--cache-dir", scratch / "cache",
        ], writingTo: scratch)
      let real = URL(filePath: folder).resolvingSymlinksInPath().path(percentEncoded: false)
      await Condition.until {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.pid)/fd"))
        return files?.contains {
          let target = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/\(child.pid)/fd/\($0)")
          return target.map { real == $0 || real == $0 + "/" } ?? false
        } ?? false
      }
      child.signal(SIGINT)

      #expect(try await child.end() == 130)
      let errors = try String(contentsOfFile: scratch / "errors", encoding: .utf8)
      #expect(errors.contains("another export"), "\(errors)")
    }
  #endif

  @Test(arguments: [SIGINT: Int32(130), SIGTERM: 143])
  func `an interrupted run ends cleanly, keeps its images and can be resumed`(
    signal: Int32, status: Int32
  ) async throws {
    let gate = Gate()
    let origin = try ListOrigin(count: 12, holding: gate)
    defer {
      gate.open()
      origin.stop()
    }
    let (cache, files) = (try Scratch(), try Scratch())

    let child = try Tool.imgcache.start(
      ["prefetch", "--json", "--feed", origin.feed, "--cache-dir", cache / "cache"],
      writingTo: files)
    await gate.arrivals(3)
    kill(child.pid, signal)
    let ended = try await child.end()
    let told = PrefetchReport(
      Tool.Outcome(
        status: ended, output: try String(contentsOfFile: files / "output", encoding: .utf8),
        errors: try String(contentsOfFile: files / "errors", encoding: .utf8)))
    gate.open()
    let resumed = try await Tool.prefetch(cache, ["--feed", origin.feed])

    #expect(ended == status)
    #expect(told.summary["interrupted"] as? Bool == true)
    #expect(told.summary["images"] as? Int == 0 && told.summary["images_total"] as? Int == 12)
    #expect(told.errors.contains("interrupted: 0 of 12 images; run again to continue"))
    #expect(resumed.summary["interrupted"] as? Bool == false)
    #expect(resumed.status == 0 && resumed.images.count == 12)
    let verified = try await Tool.imgcache.run(["verify", "--cache-dir", cache / "cache"])
    #expect(verified.status == 0)
  }

  @Test func `each sample day is loaded without a network, and a second time without a request`()
    async throws
  {
    let cache = try Scratch()

    let first = try await Tool.prefetch(cache, ["--sample", "20260110...20260111"])
    let second = try await Tool.prefetch(cache, ["--sample", "20260110...20260111"])

    #expect(first.status == 0, "\(first.errors)")
    #expect(
      first.failed.isEmpty && Set(first.images.compactMap { $0["day"] as? String }).count == 2)
    #expect(Set(first.images.compactMap { $0["format"] as? String }) == ["jpeg", "png", "gif"])
    #expect(second.summary["cached"] as? Int == second.images.count)
    #expect(second.summary["requests"] as? Int == 0)
  }
}
