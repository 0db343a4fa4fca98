import Foundation
import Testing

@testable import CachePolicies
@testable import DiskCaching
@testable import HTTPListening
@testable import ImageCodecs
@testable import ImageFeeds
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import LoadScheduling
@testable import ThumbnailServer
@testable import TestSupport

/// Limits near the largest number, durations of centuries and dates out of reach end nothing.
@Suite struct `Extreme limits` {
  static let durations: [Duration] = [
    .seconds(9_223_372_037), .seconds(1e12), .seconds(Int64.max), .seconds(1e19),
  ]
  static let seconds: [Double] = [-1e300, -1e18, 1e18, 1e300, .infinity, -.infinity, .nan]

  @Test(arguments: durations)
  func `of durations are cut off, kept within a maximum, replayed and played`(
    duration: Duration
  ) throws {
    #expect(duration.nanoseconds == .max && (.zero - duration).nanoseconds == .min)
    #expect(duration.seconds > 9e9 && duration.microseconds == 9_223_372_036_854_775)
    #expect(duration.readable.hasSuffix(" d") || duration.readable.hasSuffix(" h"))
    #expect((.zero - duration).readable.hasPrefix("-"))

    var policy = RetryPolicy()
    (policy.maximumRetryCount, policy.firstDelay) = (.max, duration)
    for count in [0, 20, .max - 1] {
      let delay = policy.delay(after: ImageError(.timedOut, "late"), retryCount: count, chance: 0.5)
      #expect(delay == policy.maximumDelay / 2)
    }

    let (answers, now) = (NegativeAnswers(), Date())
    let busy = ImageError(.httpStatus, "busy", status: 503, retryAfter: duration)
    answers.remember(busy, for: "u", until: now + duration.seconds, now: now)
    #expect(answers.answer(for: ["u"], at: now)?.retryAfter ?? .zero > .seconds(1e8))

    var info = ImageInfo(format: .gif, size: PixelSize(width: 1, height: 1), colorModel: .palette)
    info.rawDelays = Array(repeating: duration, count: 100)
    info.loopCount = 0
    let timeline = AnimationTimeline(info)
    #expect(timeline.position(after: .seconds(1)).index == 0)
    #expect(timeline.position(after: .seconds(Int64.max)).nextChange != nil)
    let frames = [0, 90].map {
      AnimationFrame(pixels: SampleImages.gradient(3, 3, shift: $0), delay: duration)
    }
    for format in [ImageFormat.gif, .webp, .png] {
      #expect(throws: Never.self) { try ImageCodecs.encode(frames, as: format) }
    }
  }

  @Test(arguments: [1e-300, .leastNonzeroMagnitude, .nan, .infinity])
  func `of a rate are a wait of years at most`(rate: Double) {
    var bucket = TokenBucket(rate: rate, capacity: 1e300, now: .zero)
    bucket.charge(2e300)
    bucket.refill(now: .seconds(1))

    #expect(bucket.delay(until: 1) <= .seconds(1e9))
  }

  @Test(arguments: [durations[0], durations[3]])
  func `of waiting jobs are waited for`(duration: Duration) async throws {
    let waiting = with(WaitLimits()) { $0.maximumTime = duration }
    let queue = JobQueue(maximumRunning: 1, waiting: waiting)
    let gate = Gate()
    let holder = Task { try await queue.run(priority: LivePriority()) { await gate.wait() } }
    await gate.arrivals(1)
    let waiter = Task { try await queue.run(priority: LivePriority()) { 7 } }
    await Condition.until { queue.pendingCount == 1 }

    gate.open()

    #expect(try await waiter.value == 7)
    try await holder.value
  }

  @Test func `of dates are written as some date`() throws {
    let signer = URLSigner(keys: [SigningKey(name: nil, secret: [1])])

    for date in Self.seconds.map({ Date(timeIntervalSince1970: $0) }) {
      #expect(HTTPDate.format(date).hasSuffix(" GMT"))
      #expect(try signer.sign("/thumb?url=a", expires: date).contains("exp="))
      #expect(DayKey.today(at: date).ordinal.magnitude < 20_000_000_000)
      #expect("\(CacheTraceLine(time: date, key: "k", byteCount: .max))".contains(",k,"))
    }
  }

  @Test(arguments: FitMode.allCases, [true, false])
  func `of sizes are refused, or a size`(fit: FitMode, enlarges: Bool) {
    var limits = ImageLimits()
    (limits.maximumSide, limits.maximumPixels) = (.max, .max)
    let sides = [0, 1, 3, .max - 1, .max]
    for width in sides {
      for height in sides {
        let size = PixelSize(width: width, height: height)
        for other in [PixelSize(width: 1, height: 1), PixelSize(width: .max, height: 2)] {
          for (source, box) in [(size, other), (other, size)] {
            let geometry = try? FitGeometry(
              source: source, box: box, fit: fit, enlarges: enlarges, limits: limits)
            _ = geometry?.uncropped(of: source, limits: limits)
            #expect(geometry.map { $0.canvas.pixelCount > 0 && $0.offset.left >= 0 } ?? true)
          }
        }
      }
    }
  }

  @Test func `of a cache hold all there is`() throws {
    let scratch = try Scratch()
    var configuration = DiskCache.Configuration(directory: scratch / "cache")
    configuration.maximumByteCount = .max
    configuration.maximumAge = .seconds(1e19)
    let cache = try DiskStore(configuration)
    let key = CacheKey.original(url: "https://a.org/x")

    try cache.store([1, 2, 3], CacheRecord(key: key, at: Date()))
    _ = try cache.collectGarbage()

    #expect(cache.read(key) != nil)
    let record = CacheRecord(key: key, at: Date())
    #expect(throws: Never.self) { try cache.checkSize(record, .max / 2) }
    let error = #expect(throws: ImageError.self) { try cache.checkSize(record, .max) }
    #expect(error?.code == .cacheFull)
  }

  @Test(arguments: EvictionPolicy.all)
  func `of a memory cache hold all there is`(policy: EvictionPolicy) {
    var configuration = MemoryCacheConfiguration()
    configuration.policy = policy
    configuration.maximumByteCount = .max
    configuration.lifetime = .seconds(1e19)
    let cache = MemoryCache<Int>(configuration)
    for number in 0..<5 { _ = cache.insert(number, for: MemoryKey(number), byteCount: .max / 8) }
    _ = cache.insert(5, for: MemoryKey(5), byteCount: .max / 2)

    var kept = 0
    for number in 0..<5 where cache.value(for: MemoryKey(number)) != nil { kept += 1 }
    #expect(kept == 2)
  }
}
