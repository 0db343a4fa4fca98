import Foundation
import Testing

@testable import ImageFeeds
@testable import SampleFeed
@testable import imgcache
@testable import TestSupport

/// `imgcache prefetch` as a script drives it. Scripts rely on its options, JSON keys and exit
/// codes.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `The prefetch command` {
  @Test func `each image is one record, and nothing is requested twice`() async throws {
    let origin = try ListOrigin(count: 3)
    let (cache, feed) = (try Scratch(), ["--feed", origin.feed])

    let dry = try await Tool.prefetch(cache, feed + ["--dry-run"])
    #expect(dry.status == 0 && Set(dry.urls) == Set(origin.urls))
    #expect(dry.summary["images"] as? Int == 3 && dry.summary["downloaded"] as? Int == 0)
    #expect(origin.pictureRequests.isEmpty)
    #expect(try await Tool.paths(of: origin.urls, in: cache) == nil)

    let report = try await Tool.prefetch(cache, feed)
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

    let second = try await Tool.prefetch(cache, feed)
    #expect(second.summary["cached"] as? Int == 3 && second.summary["requests"] as? Int == 0)
    let third = try await Tool.prefetch(cache, feed + ["--revalidate"])
    #expect(third.summary["revalidated"] as? Int == 3 && third.summary["requests"] as? Int == 3)
    #expect(origin.pictureRequests.suffix(3).allSatisfy { $0["if-none-match"] != nil })
    #expect(origin.pictureRequests.count == 6)

    origin.stop()
    let kept = try await Tool.prefetch(cache, feed + ["--offline"])
    #expect(kept.status == 0 && kept.summary["cached"] as? Int == 3)
    let list = (origin.urls + ["http://127.0.0.1:1/absent.png"]).joined(separator: "\n")
    let mixed = try await Tool.prefetch(cache, ["--feed", "-", "--offline"], input: list)
    #expect(mixed.status == 1)
    #expect(mixed.codes == ["http://127.0.0.1:1/absent.png": "not_cached"])
  }

  @Test func `ok is printed of stored images alone`() async throws {
    let origin = try ListOrigin(count: 100)
    defer { origin.stop() }
    let cache = try Scratch()

    let outcome = try await Tool.run(
      ["prefetch", "--feed", origin.feed, "--max-size", "300KiB", "--no-keep"], cache: cache)
    let listed = try await Tool.run(["ls", "--json"], cache: cache)

    #expect(outcome.status == 2, "\(outcome.errors)")
    let said = outcome.output.split(separator: "\n").filter { $0.hasPrefix("ok\t") }
      .compactMap { $0.split(separator: "\t").last.map(String.init) }
    let stored = try listed.objects().compactMap { $0["url"] as? String }
      .filter { $0.hasSuffix(".png") }
    #expect(!said.isEmpty && said.count < 100)
    #expect(said.sorted() == stored.sorted())
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

  @Test func `an export has readable names, an index and placeholders`() async throws {
    let origin = try ListOrigin(count: 3, missing: [1])
    let (cache, out) = (try Scratch(), try Scratch())
    var gif = SampleImages.GIF(1, 1)
    gif.add(1, 1, index: 1)
    let placeholder = try out.write(gif.finished(), to: "placeholder.gif")
    let arguments = ["--feed", origin.feed, "--placeholder", placeholder, "--export"]

    let report = try await Tool.prefetch(cache, arguments + [out / "days"])
    _ = try await Tool.prefetch(cache, arguments + [out / "links", "--export-links"])

    #expect(report.status == 1 && report.codes == [origin.urls[1]: "http_status"])
    let day = try #require((report.summary["days"] as? [String])?.first)
    #expect(
      out.names(in: "days/\(day)") == [
        "index.html", "index.json", "story-list-0.png", "story-list-1.gif", "story-list-2.png",
      ])
    let index = try JSONSerialization.jsonObject(
      with: Data(out.bytes(of: "days/\(day)/index.json")))
    let images = (index as? [String: Any])?["images"] as? [[String: Any]]
    #expect(images?.compactMap { $0["url"] as? String } == origin.urls)
    #expect(try out.bytes(of: "days/\(day)/story-list-1.gif") == gif.finished())
    #expect(try await Tool.paths(of: [origin.urls[1]], in: cache) == nil)
    for (folder, count) in [("days", 1), ("links", 2)] {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: out / "\(folder)/\(day)/story-list-0.png")
      #expect(attributes[.referenceCount] as? Int == count, "\(folder)")
    }
  }

  @Test func `thumbnails and failures are accesses of a trace`() async throws {
    let origin = try ListOrigin(count: 3, missing: [2])
    let cache = try Scratch()
    let arguments = [
      "--feed", origin.feed, "--thumbnails", "4x4", "--thumbnails", "6x3:contain",
      "--record-trace", cache / "trace.csv",
    ]

    let first = try await Tool.prefetch(cache, arguments)
    _ = try await Tool.prefetch(cache, arguments)
    let path = try await Tool.run(["path", origin.urls[0], "--size", "4x4"], cache: cache)
    let row = try #require(
      try await Tool.imgcache.run(
        ["simulate", cache / "trace.csv", "--policy", "inf", "--capacity", "1%", "--json"]
      ).objects().first)

    #expect(first.summary["thumbnails"] as? Int == 4, "\(first.errors)")
    #expect(path.status == 0 && path.output.hasPrefix("/"))
    let lines = try cache.text(of: "trace.csv").split(separator: "\n")
    #expect(lines.allSatisfy { $0.split(separator: ",").count == 3 })
    #expect(lines.count { $0.contains("#") } == 8)
    #expect(lines.count { $0.contains(origin.urls[2] + ",0") } == 2)
    #expect(lines.count == 14 && row["requests"] as? Int == 14 && row["hits"] as? Int == 7)
  }

  @Test func `misuse is exit 64, a line on stderr, and its object alone on stdout`() async throws {
    // A cache that cannot be opened does not hide it.
    let tool = with(Tool.imgcache) { $0.environment = ["IMGCACHE_DIR": "/dev/null/cache"] }

    let text = try await tool.run(["prefetch", "2016-02-30"])
    let report = PrefetchReport(try await tool.run(["prefetch", "--json", "--check", "maybe"]))

    #expect(text.status == 64 && report.status == 64)
    #expect(!text.errors.isEmpty && text.output.isEmpty)
    #expect(!report.errors.isEmpty && report.errorCodes == ["invalid_argument"])
  }

  @Test func `what the XML parser says of a feed is not repeated`() async throws {
    let origin = try FeedOrigin(images: ["a"])
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

    let outcome = try await Tool.run(
      ["prefetch", "--quiet", "--feed", origin.url("/feed.xml")], cache: try Scratch())

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
      #expect(try scratch.text(of: "errors").contains("another export"))
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
    let cache = try Scratch()

    let child = try Tool.imgcache.start(
      ["prefetch", "--json", "--feed", origin.feed, "--cache-dir", cache / "cache"],
      writingTo: cache)
    await gate.arrivals(3)
    child.signal(signal)
    let ended = try await child.end()
    let told = PrefetchReport(
      Tool.Outcome(
        status: ended, output: try cache.text(of: "output"), errors: try cache.text(of: "errors")))
    gate.open()
    let resumed = try await Tool.prefetch(cache, ["--feed", origin.feed])

    #expect(ended == status)
    #expect(told.summary["interrupted"] as? Bool == true)
    #expect(told.summary["images"] as? Int == 0 && told.summary["images_total"] as? Int == 12)
    #expect(told.errors.contains("interrupted: 0 of 12 images; run again to continue"))
    #expect(told.records.last?["event"] as? String == "summary" && told.records("error").isEmpty)
    #expect(resumed.summary["interrupted"] as? Bool == false)
    #expect(resumed.status == 0 && resumed.images.count == 12)
    #expect(try await Tool.run(["verify"], cache: cache).status == 0)
  }
}
