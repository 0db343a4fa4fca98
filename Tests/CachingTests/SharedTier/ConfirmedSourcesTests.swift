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

  private func confirm(_ url: ExactString, _ generation: TierGeneration, at now: Duration = .zero) {
    sources.insert(url, generation, at: now, epoch: sources.epoch(of: url))
  }

  @Test func `contain a source for a lifetime after it was confirmed last`() {
    #expect(!sources.contains(url, first, at: .zero))
    confirm(url, first, at: .seconds(10))
    #expect(sources.contains(url, first, at: .milliseconds(39_999)))
    #expect(!sources.contains(url, first, at: .seconds(40)))

    confirm(url, first, at: .seconds(20))

    #expect(sources.contains(url, first, at: .seconds(49)))
    #expect(!sources.contains(url, first, at: .seconds(50)))
  }

  @Test func `distinguish URLs that differ only in Unicode normalization`() {
    confirm(ExactString("https://example.org/\u{e9}"), first)

    #expect(!sources.contains(ExactString("https://example.org/e\u{301}"), first, at: .zero))
  }

  @Test
  func `take no result of a request from before the removal of its source, alone or with all`() {
    let urls = (0..<300).map { ExactString("https://example.org/\($0)") }
    for url in urls { confirm(url, first) }
    let epochs = urls.map { sources.epoch(of: $0) }

    sources.remove(urls[0])
    sources.insert(urls[0], first, at: .zero, epoch: epochs[0])
    #expect(
      urls.map { sources.contains($0, first, at: .zero) } == [false]
        + urls.dropFirst().map { _ in true })
    confirm(urls[0], first)
    #expect(sources.contains(urls[0], first, at: .zero))
    sources.removeAll()
    for (url, epoch) in zip(urls, epochs) { sources.insert(url, first, at: .zero, epoch: epoch) }

    #expect(!urls.contains { sources.contains($0, first, at: .zero) })
  }

  @Test func `are at most 100,000: one more replaces them all`() {
    let urls = (0..<100_000).map { ExactString("\($0)") }
    for url in urls { confirm(url, first) }

    confirm(urls[0], second)
    #expect(sources.contains(urls[99_999], first, at: .zero))
    confirm(url, first)

    #expect(sources.contains(url, first, at: .zero))
    #expect(!sources.contains(urls[0], second, at: .zero))
    #expect(!sources.contains(urls[99_999], first, at: .zero))
  }
}
