import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel

@Suite struct `HTTP freshness` {
  static let start = Date(timeIntervalSince1970: 1_592_300_000)

  func freshness(
    _ headers: HTTPFields, status: Int = 200, isShared: Bool = false
  ) -> HTTPFreshness {
    HTTPFreshness(
      status: status, headers: headers, requestTime: Self.start, responseTime: Self.start,
      profile: CacheProfile(isShared: isShared))
  }

  func at(_ seconds: TimeInterval) -> Date { Self.start + seconds }

  @Test func `without explicit freshness the lifetime is a tenth of the time since Last-Modified`()
  {
    let headers: HTTPFields = [.lastModified: HTTPDate.format(at(-1000))]

    #expect(freshness(headers).lifetime == 100)
    #expect(freshness(headers).isHeuristic)
    #expect(freshness(headers, status: 500).lifetime == 0)
    #expect(
      freshness([.lastModified: HTTPDate.format(at(-1e9))]).lifetime
        == HTTPFreshness.maximumHeuristicLifetime)
  }

  @Test func `a request may accept a stale response for an error`() {
    let freshness = freshness([.cacheControl: "max-age=100"])

    #expect(freshness.covers(503, at: at(149), "stale-if-error=50"))
    #expect(!freshness.covers(503, at: at(150), "stale-if-error=50"))
    #expect(freshness.covers(503, at: at(11), "max-age=10"))
  }

  @Test(arguments: ["max-age=", "max-age=-1", "max-age=1.5", "max-age=a", "max-age"])
  func `a malformed max-age is stale`(line: String) {
    #expect(CacheControl([line]).maximumAge == 0)
  }

  @Test(arguments: [
    "max-age=60, ext=\"a, private", "max-age=60 private", "max-age=60; private", "private\"",
    "\"private\"", "max-age=60, ext=\"a\" private", "public, max-age=60, ext=\"\\",
    "a b, Private=\"x\"",
  ])
  func `a line that is not a list of directives only restricts`(line: String) {
    let control = CacheControl([line, "s-maxage=60"])

    #expect(control.isPrivate == (line.lowercased().contains("private") ? .all : nil))
    #expect(control.maximumAge == 0)
    #expect(control.sharedMaximumAge == 0)
    #expect(!control.isPublic)
    #expect(!control.isEmpty)
  }

  @Test(arguments: [
    "private=1", "private=set-cookie", "private=\"\"", "private=\"a b\"", "private=\"=\"",
  ])
  func `a private or no-cache with an unquoted field list covers the whole response`(line: String) {
    #expect(CacheControl([line]).isPrivate == .all)
  }

  @Test func `a Vary that is not a list of names matches no request`() {
    for line in ["Accept Cookie", "\"Cookie\"", "Cookie; Accept", "Accept, *"] {
      #expect(VaryKey(answer: [.vary: line], request: [:]) == nil, "\(line)")
    }
  }
}

extension HTTPFreshness {
  /// Whether the response answers for an origin that sent a status.
  fileprivate func covers(_ status: Int, at now: Date, _ directives: String...) -> Bool {
    maySubstitute(
      for: .status(status), at: now, request: CacheControl(directives), profile: .proxy())
  }
}

/// Compares the arithmetic of freshness with a transcription of RFC 9111 §4.2 in whole seconds.
@Suite struct `The arithmetic of freshness` {
  private static let arrival = 1_600_000_000

  /// A random response and the numbers in it.
  private struct Sample {
    var isShared: Bool
    var age: Int?
    var date: Int?
    var maximumAge: Int?
    var sharedMaximumAge: Int?
    var expires: Int?
    var revalidates: Bool
    var staleWhileRevalidate: Int?
    var delay: Int

    init(_ random: inout SplitMix64) {
      func maybe(_ range: ClosedRange<Int>) -> Int? {
        Bool.random(using: &random) ? Int.random(in: range, using: &random) : nil
      }
      isShared = Bool.random(using: &random)
      age = maybe(0...50)
      date = maybe(-60...20).map { arrival + $0 }
      maximumAge = maybe(0...100)
      sharedMaximumAge = maybe(0...100)
      expires = maybe(-50...100).map { arrival + $0 }
      revalidates = Int.random(in: 0..<4, using: &random) == 0
      staleWhileRevalidate = maybe(0...60)
      delay = Int.random(in: 0...5, using: &random)
    }

    var fields: HTTPFields {
      var directives: [String] = []
      if let maximumAge { directives.append("max-age=\(maximumAge)") }
      if let sharedMaximumAge { directives.append("s-maxage=\(sharedMaximumAge)") }
      if revalidates { directives.append("must-revalidate") }
      if let staleWhileRevalidate {
        directives.append("stale-while-revalidate=\(staleWhileRevalidate)")
      }
      var fields = HTTPFields()
      if !directives.isEmpty { fields[.cacheControl] = directives.joined(separator: ", ") }
      if let age { fields[.age] = String(age) }
      if let date { fields[.date] = Self.text(date) }
      if let expires { fields[.expires] = Self.text(expires) }
      return fields
    }

    private static func text(_ seconds: Int) -> String {
      HTTPDate.format(Date(timeIntervalSince1970: Double(seconds)))
    }

    /// §4.2.3.
    func currentAge(at now: Int) -> Int {
      let apparentAge = date.map { max(0, arrival - $0) } ?? 0
      let correctedAge = (age ?? 0) + delay
      return max(apparentAge, correctedAge) + now - arrival
    }

    /// §4.2.1.
    var lifetime: Int {
      if isShared, let sharedMaximumAge { return sharedMaximumAge }
      if let maximumAge { return maximumAge }
      if let expires { return max(0, expires - (date ?? arrival)) }
      return 0
    }

    /// §4.2.4.
    var isForbiddenStale: Bool { revalidates || isShared && sharedMaximumAge != nil }

    /// §5.2.1 and RFC 5861 §3.
    func use(at now: Int, _ request: Request) -> LoadFreshness? {
      let staleness = currentAge(at: now) - lifetime
      if request.noCache { return nil }
      if let limit = request.maximumAge, currentAge(at: now) > limit { return nil }
      if let least = request.minimumFreshness, -staleness < least { return nil }
      if staleness < 0 { return .fresh }
      if isForbiddenStale { return nil }
      if let most = request.maximumStaleness, staleness <= most { return .stale }
      if let window = staleWhileRevalidate, staleness < window { return .staleWhileRevalidating }
      return nil
    }

    var freshness: HTTPFreshness {
      let arrival = Date(timeIntervalSince1970: Double(arrival))
      return HTTPFreshness(
        status: 200, headers: fields, requestTime: arrival - Double(delay), responseTime: arrival,
        profile: CacheProfile(isShared: isShared))
    }
  }

  private struct Request {
    var noCache: Bool
    var maximumAge: Int?
    var minimumFreshness: Int?
    var maximumStaleness: Int?

    init(_ random: inout SplitMix64) {
      func rarely(_ range: ClosedRange<Int>) -> Int? {
        Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: range, using: &random) : nil
      }
      noCache = Int.random(in: 0..<10, using: &random) == 0
      maximumAge = rarely(0...80)
      minimumFreshness = rarely(0...80)
      maximumStaleness = rarely(0...80)
    }

    var control: CacheControl {
      var directives: [String] = []
      if noCache { directives.append("no-cache") }
      if let maximumAge { directives.append("max-age=\(maximumAge)") }
      if let minimumFreshness { directives.append("min-fresh=\(minimumFreshness)") }
      if let maximumStaleness { directives.append("max-stale=\(maximumStaleness)") }
      return CacheControl(directives)
    }
  }

  @Test(arguments: 21...24 as ClosedRange<UInt64>)
  func `is that of RFC 9111, a request's directives included`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<250 {
      let (sample, request) = (Sample(&random), Request(&random))
      let now = Self.arrival + Int.random(in: 0...150, using: &random)
      let date = Date(timeIntervalSince1970: Double(now))
      let freshness = sample.freshness
      let comment: Comment = "seed \(seed): \(sample), \(request) at +\(now - Self.arrival)"

      #expect(freshness.age(at: date) == Double(sample.currentAge(at: now)), comment)
      #expect(freshness.lifetime == Double(sample.lifetime), comment)
      #expect(freshness.isForbiddenStale == sample.isForbiddenStale, comment)
      #expect(
        freshness.use(at: date, request: request.control) == sample.use(at: now, request), comment)
    }
  }

  private static let time = Date(timeIntervalSince1970: Double(arrival))

  private func freshness(_ fields: HTTPFields, isShared: Bool = false) -> HTTPFreshness {
    HTTPFreshness(
      status: 200, headers: fields, requestTime: Self.time, responseTime: Self.time,
      profile: CacheProfile(isShared: isShared))
  }

  @Test func `rounds nothing: a response is stale at the very end of its lifetime`() {
    let freshness = freshness([.cacheControl: "max-age=1"])

    #expect(freshness.isFresh(at: Self.time + 0.999))
    #expect(!freshness.isFresh(at: Self.time + 1))
  }

  @Test func `takes a clock that was set back by less than a second for no time at all`() {
    let freshness = freshness([.cacheControl: "max-age=60", .age: "7"])

    #expect(freshness.age(at: Self.time - 1) == 7)
    #expect(freshness.age(at: Self.time - 1.5) == .infinity)
    #expect(!freshness.isFresh(at: Self.time - 1.5))
  }

  @Test(arguments: [([60, 60], 60), ([60, 90], 0)] as [([Double], Double)])
  func `takes two different Expires for an end in the past, two equal ones for one`(
    ends: [Double], lifetime: Double
  ) {
    var fields = HTTPFields()
    fields[values: .expires] = ends.map { HTTPDate.format(Self.time + $0) }

    #expect(freshness(fields).lifetime == lifetime)
  }

  private static let failures: [(HTTPFreshness.Failure, String, Int, Bool)] = [
    // A status counts within the windows alone.
    (.status(503), "max-age=10", 11, false),
    (.status(503), "max-age=10, stale-if-error=5", 14, true),
    (.status(503), "max-age=10, stale-if-error=5", 15, false),
    (.status(429), "max-age=10, stale-if-error=5", 11, false),
    (.status(404), "max-age=10, stale-if-error=5", 11, false),
    (.status(503), "max-age=10, stale-while-revalidate=5", 14, true),
    (.status(503), "max-age=10, stale-while-revalidate=5", 15, false),
    // An origin that cannot be reached: the profile's time, unless the origin gives one.
    (.unreachable, "max-age=10", 109, true), (.unreachable, "max-age=10", 110, false),
    (.unreachable, "max-age=10, stale-if-error=5", 14, true),
    (.unreachable, "max-age=10, stale-if-error=5", 15, false),
    (.unreachable, "max-age=10, stale-while-revalidate=500", 509, true),
    (.unreachable, "max-age=10, must-revalidate", 11, false),
    // A response that broke off is not a disconnection.
    (.incomplete, "max-age=10", 11, false), (.incomplete, "max-age=10, stale-if-error=5", 14, true),
    (.incomplete, "max-age=10, stale-while-revalidate=5", 14, true),
    (.incomplete, "max-age=10, no-cache, stale-if-error=5", 11, false),
  ]

  @Test(arguments: failures)
  func `covers a failure of the origin for a time of its own kind`(
    failure: HTTPFreshness.Failure, control: String, seconds: Int, expected: Bool
  ) {
    let freshness = freshness([.cacheControl: control], isShared: true)
    var profile = CacheProfile.proxy()
    profile.maximumDisconnectedStaleness = 100

    #expect(
      freshness.maySubstitute(for: failure, at: Self.time + Double(seconds), profile: profile)
        == expected)
  }
}
