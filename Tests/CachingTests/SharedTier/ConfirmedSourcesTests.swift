import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import SharedCaching

@Suite struct `The confirmed sources of a shared tier` {
  private let sources = ConfirmedSources(lifetime: .seconds(30))
  private let url = ExactString("https://example.org/a.jpg")
  private let first: TierGeneration
  private let second: TierGeneration

  init() throws {
    first = try #require(TierGeneration(number: 2))
    second = try #require(TierGeneration(number: 3))
  }

  private func confirm(_ url: ExactString, _ generation: TierGeneration, at now: Duration) {
    sources.insert(url, generation, at: now, epoch: sources.epoch(of: url))
  }

  @Test func `do not contain a source that was never confirmed`() {
    #expect(!sources.contains(url, first, at: .zero))
  }

  @Test(
    arguments: [
      (Duration.seconds(10), true), (.milliseconds(39_999), true), (.seconds(40), false),
      (.seconds(41), false),
    ])
  func `contain a source until its lifetime is over`(now: Duration, isContained: Bool) {
    confirm(url, first, at: .seconds(10))

    #expect(sources.contains(url, first, at: now) == isContained)
  }

  @Test func `do not contain a source under another generation`() {
    confirm(url, first, at: .zero)

    #expect(!sources.contains(url, second, at: .zero))
  }

  @Test func `contain a source only under the generation confirmed last`() {
    confirm(url, first, at: .zero)

    confirm(url, second, at: .seconds(1))

    #expect(!sources.contains(url, first, at: .seconds(1)))
    #expect(sources.contains(url, second, at: .seconds(1)))
  }

  @Test func `contain a source for a whole lifetime after it was confirmed again`() {
    confirm(url, first, at: .zero)

    confirm(url, first, at: .seconds(20))

    #expect(sources.contains(url, first, at: .seconds(49)))
    #expect(!sources.contains(url, first, at: .seconds(50)))
  }

  @Test func `distinguish URLs that differ only in Unicode normalization`() {
    confirm(ExactString("https://example.org/\u{e9}"), first, at: .zero)

    #expect(!sources.contains(ExactString("https://example.org/e\u{301}"), first, at: .zero))
  }

  @Test func `do not contain a source that was removed`() {
    confirm(url, first, at: .zero)

    sources.remove(url)

    #expect(!sources.contains(url, first, at: .zero))
  }

  @Test func `do not take the result of a request from before the removal of its source`() {
    let epoch = sources.epoch(of: url)

    sources.remove(url)
    sources.insert(url, first, at: .zero, epoch: epoch)

    #expect(!sources.contains(url, first, at: .zero))
  }

  @Test func `take the result of a request from after the removal of its source`() {
    sources.remove(url)

    confirm(url, second, at: .zero)

    #expect(sources.contains(url, second, at: .zero))
  }

  @Test func `do not change their epoch when a source is confirmed`() {
    let epoch = sources.epoch(of: url)

    confirm(url, first, at: .zero)

    #expect(sources.epoch(of: url) == epoch)
  }

  @Test func `contain the others after one was removed`() {
    let other = ExactString("https://example.org/b.jpg")
    confirm(url, first, at: .zero)
    confirm(other, first, at: .zero)

    sources.remove(url)

    #expect(sources.contains(other, first, at: .zero))
  }

  @Test func `are all forgotten at once, with the results of requests that are under way`() {
    let urls = (0..<300).map { ExactString("https://example.org/\($0)") }
    for url in urls { confirm(url, first, at: .zero) }
    let epochs = urls.map { sources.epoch(of: $0) }

    sources.removeAll()
    let remaining = urls.filter { sources.contains($0, first, at: .zero) }
    for (url, epoch) in zip(urls, epochs) {
      sources.insert(url, first, at: .zero, epoch: epoch)
    }
    let late = urls.filter { sources.contains($0, first, at: .zero) }

    #expect(remaining == [])
    #expect(late == [])
  }

  @Test func `are at most 100,000: one more replaces them all`() {
    let urls = (0..<100_000).map { ExactString("\($0)") }
    for url in urls { confirm(url, first, at: .zero) }

    confirm(urls[0], second, at: .zero)
    #expect(sources.contains(urls[99_999], first, at: .zero))
    confirm(url, first, at: .zero)

    #expect(sources.contains(url, first, at: .zero))
    #expect(!sources.contains(urls[0], second, at: .zero))
    #expect(!sources.contains(urls[99_999], first, at: .zero))
  }
}
