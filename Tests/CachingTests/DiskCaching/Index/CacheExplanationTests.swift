import Foundation
import ImageModel
import Testing

@testable import DiskCaching

@Suite struct `The explanation of a cache's decision` {
  private static let end = Date(timeIntervalSince1970: 1_592_300_000)

  @Test(
    arguments: [
      (.fresh(remaining: 0), "disk: fresh for another 0 ms"),
      (.fresh(remaining: 59.5), "disk: fresh for another 59.5 s"),
      (.fresh(remaining: 3_600), "disk: fresh for another 1 h"),
      (.fresh(remaining: 90_061), "disk: fresh for another 1 d 1 h"),
      (.fresh(remaining: 1e300), "disk: fresh for another 11574074 d 1 h"),
      (.fresh(remaining: nil), "disk: fresh"),
      (
        .negative(.httpStatus, until: end),
        "disk: the origin had nothing (\(ImageError.Code.httpStatus.rawValue)), until "
          + "Tue, 16 Jun 2020 09:33:20 GMT"
      ),
      (.negative(nil, until: nil), "disk: the origin had nothing (unknown)"),
      (
        .staleWhileRevalidating,
        "disk: stale; would be served while it is revalidated in the background"
      ),
      (.absent, "origin: not in the cache"),
      (.damaged("its file is missing"), "origin: its file is missing"),
    ] as [(CacheExplanation.Verdict, String)])
  func `is a sentence`(verdict: CacheExplanation.Verdict, sentence: String) {
    #expect(CacheExplanation(verdict: verdict, record: nil, path: nil).sentence == sentence)
  }

  @Test(
    arguments: [
      ("", "unconditionally: the entry has no validator"),
      ("etag: W/\"1\"\nlast-modified: x\n", "with If-None-Match: W/\"1\""),
      (
        "last-modified: Tue, 16 Jun 2020 09:33:20 GMT\n",
        "with If-Modified-Since: Tue, 16 Jun 2020 09:33:20 GMT"
      ),
    ])
  func `says by which condition the origin is asked`(headers: String, condition: String) {
    var record = CacheRecord(key: .original(url: "u"), at: Self.end)
    record.headers = HeaderText(text: headers)
    let sentences = [false, true].map {
      CacheExplanation(verdict: .revalidate(mayServeOnError: $0), record: record, path: nil)
        .sentence
    }

    let stale = "origin: stale; would be revalidated \(condition)"
    #expect(sentences == [stale, stale + "; if the origin fails, the cached copy is used"])
  }
}
