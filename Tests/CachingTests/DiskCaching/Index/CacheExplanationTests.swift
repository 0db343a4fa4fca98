import Foundation
import ImageModel
import Testing

@testable import DiskCaching

@Suite struct `The explanation of a cache's decision` {
  private func sentence(
    _ verdict: CacheExplanation.Verdict, headers: String? = nil
  ) -> String {
    var record = CacheRecord(key: .original(url: "u"), at: Date(timeIntervalSince1970: 0))
    record.headers = HeaderText(text: headers ?? "")
    return CacheExplanation(
      verdict: verdict, record: headers == nil ? nil : record, path: nil
    ).sentence
  }

  @Test(
    arguments: [
      (0 as Double?, "disk: fresh for another 0 ms"), (59.5, "disk: fresh for another 59.5 s"),
      (3_600, "disk: fresh for another 1 h"), (90_061, "disk: fresh for another 1 d 1 h"),
      (1e300, "disk: fresh for another 11574074 d 1 h"), (nil, "disk: fresh"),
    ] as [(Double?, String)])
  func `says for how long an entry is fresh`(remaining: Double?, expected: String) {
    #expect(sentence(.fresh(remaining: remaining)) == expected)
  }

  @Test(
    arguments: [
      (nil as String?, "unconditionally: the entry has no validator"),
      ("", "unconditionally: the entry has no validator"),
      ("etag: W/\"1\"\nlast-modified: x\n", "with If-None-Match: W/\"1\""),
      (
        "last-modified: Tue, 16 Jun 2020 09:33:20 GMT\n",
        "with If-Modified-Since: Tue, 16 Jun 2020 09:33:20 GMT"
      ),
    ] as [(String?, String)])
  func `says by which condition the origin is asked`(headers: String?, condition: String) {
    #expect(
      sentence(.revalidate(mayServeOnError: false), headers: headers)
        == "origin: stale; would be revalidated \(condition)")
    #expect(
      sentence(.revalidate(mayServeOnError: true), headers: headers)
        == "origin: stale; would be revalidated \(condition); "
        + "if the origin fails, the cached copy is used")
  }

  @Test func `says what the origin did not have, and until when that is remembered`() {
    let end = Date(timeIntervalSince1970: 1_592_300_000)

    #expect(
      sentence(.negative(.httpStatus, until: end))
        == "disk: the origin had nothing (\(ImageError.Code.httpStatus.rawValue)), "
        + "until Tue, 16 Jun 2020 09:33:20 GMT")
    #expect(sentence(.negative(nil, until: nil)) == "disk: the origin had nothing (unknown)")
  }

  @Test func `says that an entry is served stale, absent or damaged`() {
    #expect(
      sentence(.staleWhileRevalidating)
        == "disk: stale; would be served while it is revalidated in the background")
    #expect(sentence(.absent) == "origin: not in the cache")
    #expect(sentence(.damaged("its file is missing")) == "origin: its file is missing")
  }
}
