import Foundation
import Testing

@testable import DiskCaching
@testable import ImageFeeds
@testable import ImageModel
@testable import imgcache
@testable import TestSupport

@Suite struct `A day or URL of the cache` {
  private func cache(in scratch: TemporaryDirectory, _ days: [String: [String]]) async throws
    -> DiskCache
  {
    var configuration = DiskCache.Configuration(directory: scratch.path("cache"))
    configuration.clock = { Date(timeIntervalSince1970: 1_592_300_000) }
    let cache = try DiskCache(configuration)
    for (name, days) in days {
      var record = CacheRecord(
        key: .original(url: "http://x.invalid/\(name)"), at: Date(timeIntervalSince1970: 0))
      record.status = 200
      record.groups = Set(days.map { "day:\($0)" })
      try await cache.store([1, 2, 3], record)
    }
    return cache
  }

  private func days(_ text: String, in cache: DiskCache) async throws -> [String] {
    try await DayRequest(text).keys(in: cache).map(\.description)
  }

  @Test func `is read as a URL by its scheme, else as a day, or refused`() throws {
    #expect(try DayOrURL("http://a/b") == .url("http://a/b"))
    #expect(try DayOrURL("s3://a/b") == .url("s3://a/b"))
    #expect(try DayOrURL("2020-06-16") == .days(try DayRequest("20200616")))
    for text in ["ftp://a/b", "20200231", "tomorrow", "", "20200617...20200616"] {
      let error = #expect(throws: ImageError.self) { try RmCommand.subject(text) }

      #expect(error?.code == .invalidArgument)
      #expect(error?.message.hasPrefix("neither an http, https or s3 URL nor a day: ") == true)
    }
  }

  @Test func `of a range is one that has an image, in their order`() async throws {
    let scratch = TemporaryDirectory()
    let cache = try await cache(
      in: scratch, ["a": ["20200616"], "b": ["20200614", "20200616"], "c": ["20200701"]])

    #expect(try await days("20200601...20200630", in: cache) == ["20200614", "20200616"])
    #expect(try await days("20200614...20200614", in: cache) == ["20200614"])
    let error = await #expect(throws: ImageError.self) {
      _ = try await days("20200617...20200630", in: cache)
    }
    #expect(error?.code == .dayNotFound)
    #expect(error?.message == "no day of 20200617...20200630 is kept")
    await cache.close()
  }

  @Test func `of a word is that of the clock, latest the newest with an image`() async throws {
    let scratch = TemporaryDirectory()
    let cache = try await cache(in: scratch, ["a": ["20200610"], "b": ["20200612"]])

    // 1592300000 is 17:33 on 16 June 2020 in UTC+8.
    #expect(try await days("today", in: cache) == ["20200616"])
    #expect(try await days("yesterday", in: cache) == ["20200615"])
    #expect(try await days("latest", in: cache) == ["20200612"])
    #expect(try await days("2020/01/02", in: cache) == ["20200102"])
    await cache.close()
    let other = TemporaryDirectory()
    let empty = try await self.cache(in: other, [:])
    let error = await #expect(throws: ImageError.self) { _ = try await days("latest", in: empty) }
    #expect(error?.code == .dayNotFound && error?.message.contains("imgcache prefetch") == true)
    await empty.close()
  }
}
