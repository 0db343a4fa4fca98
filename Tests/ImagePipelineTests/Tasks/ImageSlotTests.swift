import Foundation
import HTTPTypes
import Testing

@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"

/// What a slot was told to show, in words.
private final class Screen: Sendable {
  private let shown = Locked<[String]>([])
  var words: [String] { shown.withLock { $0 } }

  func show(_ content: ImageSlot.Content) {
    let word =
      switch content {
      case .empty: "empty"
      case .placeholder(_, nil): "placeholder"
      case .placeholder(_, .some): "failure"
      case .preview: "preview"
      case .image(let response): "image of \(response.url.suffix(1))"
      }
    shown.withLock { $0.append(word) }
  }
}

@Suite struct `A slot` {
  private func slot(
    _ fetcher: StubFetcher = StubFetcher()
  ) throws -> (PipelineFixture, Screen, ImageSlot) {
    let (fixture, screen) = (try PipelineFixture(fetcher), Screen())
    return (fixture, screen, ImageSlot(fixture.pipeline) { screen.show($0) })
  }

  private func until(_ screen: Screen, shows word: String) async {
    await Condition.until { screen.words.last == word }
  }

  @Test func `shows the placeholder at once, then the image`() async throws {
    let (_, screen, slot) = try slot()

    slot.set(url: url, placeholder: .color(.black))
    let first = screen.words.first
    await until(screen, shows: "image of g")

    #expect(first == "placeholder")
    #expect(screen.words == ["placeholder", "image of g"])
    #expect(slot.content.pixels?.size == PixelSize(width: 64, height: 48))
  }

  @Test func `cancels the old load for a new one, and never shows its late result`() async throws {
    let gate = Gate()
    let (fixture, screen, slot) = try slot(
      StubFetcher { request in
        // The old answer comes although its load was cancelled, and after the new one.
        if request.url.hasSuffix("1") { await gate.wait() }
        return StubFetcher.response(request.url, SampleImages.photo)
      })

    slot.set(url: url + "?1")
    await gate.arrivals(1)
    let old = slot.task
    slot.set(url: url + "?2")
    await until(screen, shows: "image of 2")
    gate.open()

    await #expect(throws: CancellationError.self) { try await old?.response }
    await Condition.until { fixture.pipeline.graph.activeCount == 0 }
    #expect(!screen.words.contains("image of 1"))
    #expect(screen.words.last == "image of 2")
  }

  @Test func `shows a memory hit before set returns`() async throws {
    let (fixture, screen, slot) = try slot(StubFetcher(fields: [.cacheControl: "max-age=60"]))
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url))

    slot.set(url: url, placeholder: .color(.black))

    #expect(screen.words == ["image of g"])
    #expect(slot.task == nil)
  }

  @Test func `shows the failure image, or keeps the placeholder`() async throws {
    let (_, screen, slot) = try slot(StubFetcher { _ in throw StubFetcher.failure(404) })
    let request = with(ImageRequest(url: url)) { $0.failureImage = SampleImages.gradient(3, 2) }

    slot.set(request)
    await until(screen, shows: "failure")
    #expect(slot.content.pixels == request.failureImage)
    slot.set(url: url, placeholder: .image(SampleImages.gradient(5, 5)))
    await until(screen, shows: "failure")

    #expect(slot.content.pixels == SampleImages.gradient(5, 5))
  }

  @Test func `is emptied by nil`() async throws {
    let gate = Gate()
    let (fixture, screen, slot) = try slot(StubFetcher(heldAt: gate))

    slot.set(url: url)
    await gate.arrivals(1)
    slot.set(nil)
    await Condition.until { fixture.pipeline.graph.activeCount == 0 }

    #expect(screen.words == ["empty", "empty"])
    #expect(slot.task == nil)
  }

  @Test func `may be set again while it shows`() async throws {
    let fixture = try PipelineFixture()
    let screen = Screen()
    let holder = Locked<ImageSlot?>(nil)
    let slot = ImageSlot(fixture.pipeline) { content in
      screen.show(content)
      if case .image(let response) = content, response.url.hasSuffix("1") {
        holder.withLock { $0 }?.set(url: url + "?2")
      }
    }
    holder.withLock { $0 = slot }

    slot.set(url: url + "?1")
    await until(screen, shows: "image of 2")

    #expect(screen.words == ["empty", "image of 1", "empty", "image of 2"])
    holder.withLock { $0 = nil }
  }

  @Test(arguments: [nil, "2", "3"])
  func `shows nothing old after it was set while another thread shows`(next: String?) async throws {
    let fixture = try PipelineFixture(StubFetcher(fields: [.cacheControl: "max-age=60"]))
    _ = try await fixture.pipeline.image(for: ImageRequest(url: url + "?3"))
    let (screen, slots) = (Screen(), Locked<ImageSlot?>(nil))
    let (isShowing, wasLate) = (DispatchSemaphore(value: 0), Locked(false))
    let shownAtEnd = Locked<[String]?>(nil)
    let slot = ImageSlot(fixture.pipeline) { content in
      if case .image(let response) = content, response.url.hasSuffix("1"),
        let slot = slots.withLock({ $0 })
      {
        isShowing.signal()
        // Until the other thread sets the slot, and longer than a `set` that does not wait takes.
        while case .image(let now) = slot.content, now.url == response.url { sched_yield() }
        for _ in 0..<5_000 where shownAtEnd.withLock({ $0 == nil }) { sched_yield() }
        wasLate.withLock { $0 = shownAtEnd.withLock { $0 != nil } }
      }
      screen.show(content)
    }
    slots.withLock { $0 = slot }
    // Not on the pool, whose threads may all be in `show`.
    Thread.detachNewThread {
      isShowing.wait()
      if let next { slot.set(url: "\(url)?\(next)") } else { slot.set(nil) }
      shownAtEnd.withLock { $0 = screen.words }
    }

    slot.set(url: url + "?1")
    await Condition.until { shownAtEnd.withLock { $0 != nil } }

    #expect(!wasLate.withLock { $0 })
    // What belongs to the old request comes before, and the new content is shown.
    #expect(
      shownAtEnd.withLock { $0 }?.prefix(3)
        == ["empty", "image of 1", next == "3" ? "image of 3" : "empty"])
    slots.withLock { $0 = nil }
  }

  @Test func `loses no update when set from many threads at once`() async throws {
    let (_, screen, slot) = try slot()

    await withTaskGroup { group in
      for index in 0..<200 { group.addTask { slot.set(url: "\(url)?\(index)!") } }
    }
    slot.set(url: url + "?z")
    await until(screen, shows: "image of z")

    #expect(screen.words.last == "image of z")
  }
}
