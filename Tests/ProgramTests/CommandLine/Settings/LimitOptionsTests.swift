import ArgumentParser
import ImageCodecs
import ImageFeeds
import ImageFetching
import ImageModel
import Testing

@testable import imgcache
@testable import TestSupport

@Suite struct `Options of limits` {
  @Test func `change what they name and nothing else`() throws {
    var expected = ImageLimits()
    expected.maximumMemoryByteCount = (768 - 48) << 20
    #expect(try LimitOptions.parse([]).limits() == expected)

    (expected.maximumPixels, expected.maximumFrames, expected.maximumSide) = (1, 2, 100)
    (expected.maximumAnimationPixels, expected.maximumProgressiveScans) = (3, 4)
    (expected.maximumByteCount, expected.maximumProcessorTime) = (5 << 10, .seconds(3))
    let options = try LimitOptions.parse([
      "--max-pixels", "1", "--max-frames", "2", "--max-animation-pixels", "3", "--max-scans", "4",
      "--max-file-bytes", "5KiB", "--max-side", "100", "--max-cpu", "3s",
    ])
    #expect(try options.limits() == expected)
  }

  @Test func `near the largest number are limits`() throws {
    let most = "\(Int.max)"
    let options = try LimitOptions.parse([
      "--max-pixels", most, "--max-side", most, "--max-frames", most, "--max-animation-pixels",
      most, "--max-scans", most, "--max-file-bytes", most, "--max-memory", most, "--max-cpu",
      "999999999999s",
    ])
    let file = try ImageCodecs.encodePNG(SampleImages.gradient(9, 9))

    let limits = try options.limits(fileByteCount: file.count)

    #expect(try ImageCodecs.decode(file.span.bytes, limits: limits).width == 9)
  }

  @Test func `of memory that leave nothing for pixels are refused`() throws {
    let options = try LimitOptions.parse(["--max-memory", "64MiB"])

    let error = #expect(throws: ImageError.self) {
      try options.limits(fileByteCount: 16 << 20)
    }

    #expect(error?.code == .limitExceeded)
    #expect(
      error?.message
        == "--max-memory 64 MiB is too little: the program and the file take 64 MiB, "
        + "and the pixels come on top")
    #expect(try options.limits(fileByteCount: (16 << 20) - 1).maximumMemoryByteCount == 1)
    // Two numbers that differ.
    let little = #expect(throws: ImageError.self) {
      try options.limits(fileByteCount: (16 << 20) + 9)
    }
    #expect(little?.message.contains("67,108,864 B is too little") == true)
    #expect(little?.message.contains("take 67,108,873 B") == true)
  }

  @Test(arguments: [
    ["serve", "--memory", "9223372036854775807"],
    ["proxy", "--origin", "http://a.example", "--memory", "--max-size", "9223372036854775807"],
  ])
  func `of the process are compared with any size that can be named`(arguments: [String]) throws {
    let shortage = ProcessLimits.shortage(for: try ImgCache.parseAsRoot(arguments))

    #expect(shortage?.contains("limit") ?? true)
  }
}

@Suite struct `Options of the network` {
  @Test func `are those of the contract, and of a server less unless they are named`() throws {
    var plain = try NetworkOptions.parse([])
    var named = try NetworkOptions.parse(["--retries", "5", "--timeout", "1m", "--max-time", "2m"])
    #expect(plain.fetchLimits.lowSpeedTime == .seconds(30))
    #expect(plain.fetchLimits.connectTime == .seconds(30))
    #expect(plain.fetchLimits.totalTime == .seconds(300))
    #expect(plain.fetchLimits.maximumByteCount == 64 << 20)

    plain.useServerDefaults()
    named.useServerDefaults()

    #expect(plain.retries == 1 && named.retries == 5)
    #expect(plain.fetchLimits.lowSpeedTime == .seconds(10))
    #expect(plain.fetchLimits.connectTime == .seconds(10))
    #expect(plain.fetchLimits.totalTime == .seconds(30))
    #expect(named.fetchLimits.lowSpeedTime == .seconds(60))
    #expect(named.fetchLimits.totalTime == .seconds(120))
  }

  @Test(arguments: [
    ([], CachePolicy.http), (["--revalidate"], .revalidate), (["--offline"], .onlyIfCached),
  ])
  func `choose how the cache is used`(words: [String], policy: CachePolicy) throws {
    #expect(try OriginUseOptions.parse(words).cachePolicy == policy)
  }

  @Test(arguments: [
    ([], 64, 6), (["--concurrency", "6"], 6, 3), (["--concurrency", "1"], 1, 1),
    (["--per-host", "100"], 64, 32), (["--concurrency", "100", "--per-host", "2"], 100, 2),
  ])
  func `of a server leave half of all fetches to other hosts`(
    arguments: [String], total: Int, perHost: Int
  ) throws {
    let limits = try ConcurrencyOptions.parse(arguments).serverLimits

    #expect(limits.total == total && limits.perHost == perHost)
    // Of other commands they leave room for images that are checked or stored.
    let others = try ConcurrencyOptions.parse(["--concurrency", "10", "--per-host", "2"]).limits
    #expect(others.total == 10 && others.perHost == 2 && others.inProgress == 18)
  }
}

@Suite struct `Options of feeds` {
  @Test(arguments: [
    ([], [FeedSource.zhihuDaily]), (["--sample"], [.sample]),
    (["--api", "http://a", "--api", "http://b"], [.zhihuDaily(bases: ["http://a", "http://b"])]),
    (
      ["--feed", "https://a/rss", "--feed", "feed.xml", "--feed", "-"],
      [.url("https://a/rss"), .file("feed.xml"), .standardInput]
    ),
  ])
  func `name the feeds in their order`(words: [String], sources: [FeedSource]) throws {
    #expect(try FeedOptions.parse(words).sources == sources)
  }

  @Test func `that are absent mean the feeds that days came from`() throws {
    guard case .remembered = try FeedOptions.parse([]).namedOrRemembered,
      case .named(let sources) = try FeedOptions.parse(["--sample"]).namedOrRemembered
    else {
      Issue.record("other feeds")
      return
    }
    #expect(sources == [.sample])
  }
}
