import HTTPTypes
import Testing

@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"

/// What an event is, in a word.
private func word(_ event: ImageEvent) -> String {
  switch event {
  case .placeholder: "placeholder"
  case .progress: "progress"
  case .preview: "preview"
  case .image: "image"
  case .failure: "failure"
  }
}

/// A pipeline whose fetcher delivers a progressive image in pieces, and waits at a gate after each.
private func dripping(
  _ bytes: [UInt8] = SampleImages.progressivePhoto
) throws -> (PipelineFixture, [Gate]) {
  let gates = (0..<8).map { _ in Gate() }
  let fetcher = StubFetcher { request in
    request.progress?.began(expectedByteCount: bytes.count)
    for (index, gate) in gates.enumerated() {
      let end = min(bytes.count, (index + 1) * (bytes.count + 7) / 8)
      request.progress?.grew(to: Array(bytes[..<end]))
      await gate.wait()
    }
    return StubFetcher.response(request.url, bytes)
  }
  return (try PipelineFixture(fetcher, onDisk: true) { $0.previewInterval = .zero }, gates)
}

@Suite struct `The events of a request` {
  @Test func `a placeholder is the ThumbHash cached for the image`() async throws {
    let fixture = try PipelineFixture(onDisk: true)
    let cache = try #require(fixture.cache)
    var request = ImageRequest(url: url)
    request.placeholder = .remembered(otherwise: .color(.black))
    _ = try await fixture.pipeline.data(for: request)
    var record = try #require(await cache.record(for: request.key))
    let hash = try ThumbHash(of: SampleImages.gradient(64, 48))
    record.thumbHash = hash.bytes
    try cache.core.update(record)

    let known = await fixture.pipeline.graph.placeholder(for: request)
    request.url += "?unknown"
    let unknown = await fixture.pipeline.graph.placeholder(for: request)

    #expect(known == hash.pixels())
    #expect(unknown?.size == PixelSize(width: 1, height: 1))
  }

  @Test func `the last event is repeated to late listeners`() async throws {
    let fixture = try PipelineFixture()
    let task = fixture.pipeline.task(for: ImageRequest(url: url))
    _ = try await task.response

    for _ in 0..<2 {
      var words: [String] = []
      for await event in task.events { words.append(word(event)) }
      #expect(words == ["image"])
    }
  }

  @Test func `an observer sees the start before the stages and the end after them`() async throws {
    let observer = RecordingObserver()
    let fixture = try PipelineFixture() { $0.observers = [observer] }

    _ = try await fixture.pipeline.image(for: ImageRequest(url: url))

    #expect(observer.words == ["started", "wait", "fetch", "decode", "finished"])
    let words = try #require(observer.traces.first).description
    #expect(words.hasPrefix("#1 \(url): network, current, \(4 * 64 * 48) bytes"))
    #expect(words.contains("fetch: 200, \(SampleImages.photo.count) bytes"))
  }

  @Test func `previews come while the body arrives, and none is written to disk`() async throws {
    let bytes = SampleImages.progressivePhoto
    let (fixture, gates) = try dripping()

    var previews = 0
    var received: [Int] = []
    var words: [String] = []
    let events = fixture.pipeline.events(for: ImageRequest(url: url))
    var next = gates[...]
    for await event in events {
      words.append(word(event))
      if case .preview(let pixels) = event {
        previews += 1
        #expect(pixels.size == PixelSize(width: 320, height: 200))
        #expect(await fixture.cache?.list().isEmpty == true)
      }
      if case .progress(let count, let expected) = event {
        received.append(count)
        #expect(expected == bytes.count)
        // One piece at a time: the next comes when this one was seen.
        next.popFirst()?.open()
      }
    }

    #expect(previews >= 2)
    #expect(received == received.sorted() && received.last == bytes.count)
    #expect(words.last == "image")
    #expect(await fixture.cache?.list().count == 1)
  }

  @Test func `a preview is processed like the image`() async throws {
    let (fixture, gates) = try dripping()
    var request = ImageRequest(url: url)
    request.processors = [Resize(PixelSize(width: 32, height: 32), fit: .fill)]

    var sizes: Set<PixelSize> = []
    var next = gates[...]
    for await event in fixture.pipeline.events(for: request) {
      if case .preview(let pixels) = event { sizes.insert(pixels.size) }
      if case .progress = event { next.popFirst()?.open() }
    }

    #expect(sizes == [PixelSize(width: 32, height: 32)])
  }

  @Test func `a preview goes through the thumbnail and the steps, once for all callers`()
    async throws
  {
    let options = with(EncodingOptions(quality: 90)) { $0.isProgressive = true }
    let (fixture, gates) = try dripping(
      ImageCodecs.encodeJPEG(SampleImages.quarters(320, 200), options: options))
    let step = CountingStep("preview")
    var request = ImageRequest(url: url)
    request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 50, height: 50))
    // Its crop shows more of the left half than one in the middle.
    request.thumbnail?.focus = FocalPoint(x: 0.2, y: 0.5)
    request.processors = [.roundCorners(12), step]

    let other = fixture.pipeline.task(for: request)
    var previews: [PixelBuffer] = []
    var image: PixelBuffer?
    var next = gates[...]
    for await event in fixture.pipeline.events(for: request) {
      if case .preview(let pixels) = event { previews.append(pixels) }
      if case .progress = event { next.popFirst()?.open() }
      if case .image(let response) = event { image = response.image }
    }

    let final = try #require(image)
    #expect(try await other.response.image == final)
    #expect(final.size == PixelSize(width: 50, height: 50))
    #expect(previews.count >= 2)
    for preview in previews {
      #expect(preview.size == final.size && preview[0, 0][3] == 0)
      let difference = zip(preview.bytes, final.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      // A crop in the middle has a mean difference of 14, most of it in a third of the columns.
      #expect(difference < 5 * final.bytes.count, "\(difference)")
    }
    #expect(step.count == previews.count + 1)
  }

  @Test func `a load is cancelled when its events are released`() async throws {
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate))
    do {
      let events = fixture.pipeline.events(for: ImageRequest(url: url))
      await gate.arrivals(1)
      _ = events
    }
    await Condition.until { fixture.pipeline.graph.activeCount == 0 }
    #expect(fixture.fetcher.count == 1)
  }

  @Test func `a slow consumer gets the latest event of each kind`() async {
    let mailbox = EventMailbox()
    mailbox.put(.placeholder(SampleImages.gradient(1, 1)))
    for count in 1...100 {
      mailbox.put(.progress(received: count, expected: 100))
      mailbox.put(.preview(SampleImages.gradient(count, 1)))
    }
    mailbox.put(.failure(CancellationError(), placeholder: nil))
    mailbox.put(.progress(received: 101, expected: 100))

    var words: [String] = []
    while let event = await mailbox.next() {
      words.append(word(event))
      if case .progress(let received, _) = event { #expect(received == 100) }
    }

    #expect(words == ["placeholder", "progress", "preview", "failure"])
  }
}
