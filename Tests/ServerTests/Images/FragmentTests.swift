import Foundation
import Testing

@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

/// A fragment names a part of what was fetched: URLs that differ in it alone are one resource.
@Suite struct `URLs with fragments` {
  static let picture = SampleImages.widePhoto

  private func origin() throws -> FaultyOrigin {
    try FaultyOrigin(["/a.jpg": [.whole(Self.picture, fields: ["Cache-Control: max-age=600"])]])
  }

  @Test(.needsProgram) func `are fetched once, listed as spelled, and found in every spelling`()
    async throws
  {
    let origin = try origin()
    let (scratch, url) = (try Scratch(), origin.url("/a.jpg"))
    let urls = [url + "#one", url, url + "#two/three?four"]
    let cache = ["--cache-dir", scratch / "cache"]

    let prefetch = try await Tool.imgcache.run(
      ["prefetch", "--json", "--feed", "-", "--allow-private-network"] + cache,
      input: Array(urls.map { $0 + "\n" }.joined().utf8))
    let records = try prefetch.objects()
    let images = records.filter { $0["event"] as? String == "image" }
    let paths = try await Tool.imgcache.run(["path"] + urls + [url + "#other"] + cache)
    let explained = try await Tool.imgcache.run(["explain", url + "#other", "--json"] + cache)
    let info = try await Tool.imgcache.run(["info", url + "#other"] + cache)
    let thumbnail = try await Tool.imgcache.run(
      ["path", "--size", "9x9", "--make", url + "#other"] + cache)
    let removed = try await Tool.imgcache.run(["rm", url + "#last"] + cache)
    let gone = try await Tool.imgcache.run(["path", url] + cache)

    #expect(prefetch.status == 0, "\(prefetch.errors)")
    #expect(Set(images.compactMap { $0["url"] as? String }) == Set(urls))
    #expect(images.allSatisfy { $0["status"] as? String == "ok" })
    #expect(records.last?["downloaded"] as? Int == 1)
    #expect(records.last?["requests"] as? Int == 1)
    #expect(origin.requests.map(\.target) == ["/a.jpg"])
    #expect(paths.status == 0, "\(paths.errors)")
    #expect(Set(paths.output.split(separator: "\n")).count == 1)
    #expect(try explained.objects().first?["tier"] as? String == "disk")
    #expect(info.status == 0 && thumbnail.status == 0, "\(info.errors)\(thumbnail.errors)")
    #expect(removed.status == 0 && gone.status == 1, "\(removed.errors)")
  }

  @Test(arguments: [
    ("http://a.example/b#c", "http://a.example/b"), ("HTTPS://a.example/b#", "HTTPS://a.example/b"),
    ("http://a.example#x#y", "http://a.example"), ("http://a.example/b%23c", nil),
    ("/a#b.jpg", nil),
    ("file:///a#b", nil), ("s3://photos/a#b", nil), ("", nil),
  ])
  func `lose them, and other texts lose nothing`(text: String, plain: String?) {
    #expect(WebURL.withoutFragment(text) == plain ?? text)
  }
}
