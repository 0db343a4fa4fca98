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

    for _ in 0..<2 {
      let replay = try #require(answers.answer(for: ["a"], at: Self.now))
      #expect(replay.code == .httpStatus && replay.message == "the server is busy (remembered)")
      #expect(replay.status == 503 && replay.retryAfter == .seconds(60))
      #expect(replay.head == error.head && replay.host == "test.invalid")
      #expect(replay.cause is CancellationError)
    }
  }

  @Test func `of the first name that has one is returned`() {
    remember(ImageError(.notAnImage, "URL"), for: "url")
    remember(ImageError(.nameNotResolved, "host"), for: "host")

    let messages = [["url", "host"], ["host", "url"], ["other", "host"], ["other"], []].map {
      answers.answer(for: $0, at: Self.now)?.message
    }

    let host = "host (remembered)"
    #expect(messages == ["URL (remembered)", host, host, nil, nil])
  }

  @Test func `is forgotten by its name after a response`() {
    for name in ["a", "b", "c"] { remember(for: name) }

    for name in ["a", "c", "d"] { answers.forget(name) }

    #expect(answers.count == 1)
    #expect(answers.answer(for: ["a", "c"], at: Self.now) == nil)
    #expect(answers.answer(for: ["b"], at: Self.now) != nil)
  }

  @Test func `is returned to requests with the same credentials alone`() throws {
    let credentials = ["Bearer 1", "Bearer 2"].map { OriginHeaders([.authorization: $0]) }
    let error = ImageError(.notAnImage, "no image")
    answers.remember(error, for: "a", credentials[0], until: Self.now + 60, now: Self.now)

    #expect(answers.answer(for: ["a"], credentials[0], at: Self.now) != nil)
    #expect(answers.answer(for: ["a"], credentials[1], at: Self.now) == nil)
    #expect(answers.answer(for: ["a"], at: Self.now) == nil)
    answers.forget("a")
    answers.forget("a", for: credentials[1])
    #expect(answers.count == 1)
    answers.forget { $0 == "a" }
    #expect(answers.count == 0)
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

  @Test func `has a lifetime that can be set`() {
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
}
