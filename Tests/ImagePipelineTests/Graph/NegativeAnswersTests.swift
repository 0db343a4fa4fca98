import Foundation
import Testing

@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `A failure in memory` {
  private static let now = Date(timeIntervalSince1970: 1_592_300_000)
  private let answers = NegativeAnswers()

  private func remember(
    _ error: ImageError = ImageError(.notAnImage, "no image"), for name: String = "a",
    seconds: Double = 60, now: Date = Self.now
  ) {
    answers.remember(error, for: name, until: now + seconds, now: now)
  }

  @Test func `is returned with all that it was, marked as remembered`() throws {
    var error = ImageError(
      .httpStatus, "the server is busy", status: 503, retryAfter: .seconds(60),
      head: ResponseHead(url: "u", status: 503), cause: CancellationError())
    error.host = "test.invalid"
    remember(error)

    let replay = try #require(answers.answer(for: ["a"], at: Self.now))

    #expect(replay.code == .httpStatus)
    #expect(replay.message == "the server is busy (remembered)")
    #expect(replay.status == 503)
    #expect(replay.retryAfter == .seconds(60))
    #expect(replay.head == error.head)
    #expect(replay.host == "test.invalid")
    #expect(replay.cause is CancellationError)
  }

  @Test func `is marked as remembered once, however often it is returned`() {
    remember()

    for _ in 0..<3 {
      let replay = answers.answer(for: ["a"], at: Self.now)
      #expect(replay?.message == "no image (remembered)")
    }
  }

  @Test(arguments: [(0.0, 60), (0.5, 60), (1, 59), (59.5, 1)])
  func `has the rest of its Retry-After in whole seconds, rounded up`(
    seconds: Double, left: Int
  ) {
    remember(ImageError(.httpStatus, "", status: 503, retryAfter: .seconds(60)))

    let replay = answers.answer(for: ["a"], at: Self.now + seconds)

    #expect(replay?.retryAfter == .seconds(left))
  }

  @Test func `has no Retry-After if it had none`() {
    remember()

    let replay = answers.answer(for: ["a"], at: Self.now + 1)

    #expect(replay != nil)
    #expect(replay?.retryAfter == nil)
  }

  @Test func `is removed when it has expired and is asked for`() {
    remember(for: "a", seconds: 60)
    remember(for: "b", seconds: 60)

    let replay = answers.answer(for: ["a"], at: Self.now + 60)

    #expect(replay == nil)
    #expect(answers.count == 1)
  }

  @Test func `of the first name that has one is returned`() {
    remember(ImageError(.notAnImage, "URL"), for: "url")
    remember(ImageError(.nameNotResolved, "host"), for: "host")

    let messages = [["url", "host"], ["host", "url"], ["other", "host"], ["other"], []].map {
      answers.answer(for: $0, at: Self.now)?.message
    }

    #expect(
      messages == [
        "URL (remembered)", "host (remembered)", "host (remembered)", nil, nil,
      ])
  }

  @Test func `of the second name is returned if that of the first has expired`() {
    remember(ImageError(.notAnImage, "URL"), for: "url", seconds: 1)
    remember(ImageError(.nameNotResolved, "host"), for: "host", seconds: 60)

    let replay = answers.answer(for: ["url", "host"], at: Self.now + 2)

    #expect(replay?.message == "host (remembered)")
  }

  @Test func `is forgotten by its name after a response`() {
    for name in ["a", "b", "c"] { remember(for: name) }

    answers.forget(["a", "c", "d"])

    #expect(answers.count == 1)
    #expect(answers.answer(for: ["a", "c"], at: Self.now) == nil)
    #expect(answers.answer(for: ["b"], at: Self.now) != nil)
  }

  @Test func `is forgotten if its name meets a condition`() {
    for name in ["http://a/1", "http://a/2", "http://b/1"] { remember(for: name) }

    answers.forget { $0.hasPrefix("http://a/") }

    #expect(answers.count == 1)
    #expect(answers.answer(for: ["http://b/1"], at: Self.now) != nil)
  }

  @Test func `is replaced by another one once it has expired`() {
    remember(ImageError(.notAnImage, "first"), seconds: 60)

    remember(ImageError(.truncated, "second"), seconds: 60, now: Self.now + 60)

    let replay = answers.answer(for: ["a"], at: Self.now + 61)
    #expect(replay?.code == .truncated)
  }

  @Test func `is kept when there are too many, if enough others have expired`() {
    let answers = NegativeAnswers(maximumCount: 2)
    let error = ImageError(.notAnImage, "")
    answers.remember(error, for: "short", until: Self.now + 1, now: Self.now)
    answers.remember(error, for: "long", until: Self.now + 60, now: Self.now)

    answers.remember(error, for: "new", until: Self.now + 60, now: Self.now + 2)

    #expect(answers.count == 2)
    #expect(answers.answer(for: ["long"], at: Self.now + 2) != nil)
    #expect(answers.answer(for: ["new"], at: Self.now + 2) != nil)
  }
}

@Suite struct `The lifetimes of failures` {
  private static let now = Date(timeIntervalSince1970: 1_592_300_000)

  @Test func `that are zero mean that nothing is remembered`() {
    var lifetimes = NegativeLifetimes()
    lifetimes.missing = .zero
    lifetimes.goneHost = .zero
    lifetimes.undecodable = .zero
    lifetimes.tooLarge = .zero
    lifetimes.maximumRetryAfter = .zero
    let errors = [
      StubFetcher.failure(404), ImageError(.nameNotResolved, ""), ImageError(.corrupt, ""),
      ImageError(.tooLarge, ""), ImageError(.httpStatus, "", status: 429, retryAfter: .seconds(9)),
    ]

    #expect(errors.allSatisfy { lifetimes.lifetime(of: $0, at: Self.now) == nil })
  }

  @Test func `are those that were set`() {
    var lifetimes = NegativeLifetimes()
    lifetimes.missing = .seconds(1)
    lifetimes.goneHost = .seconds(2)
    lifetimes.undecodable = .seconds(3)
    lifetimes.tooLarge = .seconds(4)
    lifetimes.maximumRetryAfter = .seconds(5)
    let errors = [
      StubFetcher.failure(410), ImageError(.nameNotResolved, ""),
      ImageError(.unsupportedFormat, ""), ImageError(.limitExceeded, ""),
      ImageError(.httpStatus, "", status: 503, retryAfter: .seconds(9)),
    ]

    let seconds = errors.map { lifetimes.lifetime(of: $0, at: Self.now)?.components.seconds }

    #expect(seconds == [1, 2, 3, 4, 5])
  }

  @Test(arguments: ["no-store, max-age=7", "no-store"])
  func `of a missing image are the default ones if the origin forbids storing`(
    control: String
  ) {
    let error = StubFetcher.failure(404, fields: [.cacheControl: control])

    #expect(NegativeLifetimes().lifetime(of: error, at: Self.now) == .seconds(60))
  }

  @Test func `of other refusals do not follow the lifetime that the origin specifies`() {
    let error = StubFetcher.failure(403, fields: [.cacheControl: "max-age=7"])

    #expect(NegativeLifetimes().lifetime(of: error, at: Self.now) == nil)
  }
}
