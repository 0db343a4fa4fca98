import Testing

@testable import ImageFeeds
@testable import ImagePipeline
@testable import imgcache

@Suite struct `The summary of a prefetch` {
  private func result(
    _ url: String = "http://test.invalid/a.jpg", day: DayKey = .firstOfZhihuDaily,
    from source: LoadSource = .network, keptWith failure: ImageError? = nil
  ) -> PrefetchResult {
    let request = ImageRequest(url: url)
    let item = PrefetchItem(
      day: day, image: FeedImage(url: request.url, role: .story, storyID: "1", index: 0))
    let response = DataResponse(
      request, body: .bytes([1, 2, 3]), byteCount: 3, record: .stub(byteCount: 3),
      source: source, meter: TransferMeter(), storeFailure: failure)
    return PrefetchResult(
      item: item, outcome: .success(response), thumbnails: [], elapsed: .zero)
  }

  @Test func `a URL on two days counts once, as what came of it first`() {
    var tally = PrefetchTally()

    tally.add(result())
    tally.add(result(day: DayKey.firstOfZhihuDaily.next, from: .disk))
    tally.add(result(day: DayKey.firstOfZhihuDaily.next.next))

    #expect(tally.images == 1 && tally.total == 1)
    #expect(tally.downloaded == 1 && tally.cached == 0)
    #expect(tally.bytesStored == 3)
  }

  @Test func `a URL that failed once and came later has not failed`() {
    var tally = PrefetchTally()
    let failed = PrefetchResult(
      item: result().item, outcome: .failure(ImageError(.timedOut, "late")), thumbnails: [],
      elapsed: .zero)

    tally.add(failed)
    #expect(tally.failed == 1 && tally.exitStatus == 1)
    tally.add(result())
    tally.add(failed)

    #expect(tally.images == 1 && tally.failed == 0 && tally.downloaded == 1)
    #expect(tally.exitStatus == 0)
  }

  @Test func `an interrupted run says how far it came`() {
    var tally = PrefetchTally()
    #expect(tally.interruption.contains("before the first day"))
    let images = (0..<3).map {
      FeedImage(url: "http://test.invalid/\($0).jpg", role: .story, storyID: "1", index: $0)
    }
    var story = FeedStory(id: "1")
    story.images = images
    tally.add(FeedDay(day: .firstOfZhihuDaily, stories: [story]))
    tally.add(result(images[0].url))
    tally.isInterrupted = true

    #expect(tally.interruption == "interrupted: 1 of 3 images; run again to continue")
    #expect(tally.text(elapsed: .zero).contains(tally.interruption))
    #expect(tally.json(elapsed: .zero).description.contains("\"interrupted\":true"))
    tally.remainingDays = 4
    #expect(tally.interruption == "interrupted: 1 of 3 images, 1 of 5 days; run again to continue")
  }

  @Test func `counts each image once, and what could not be kept as failed`() {
    var tally = PrefetchTally()

    tally.add(result())
    tally.add(
      result("http://test.invalid/b.jpg", keptWith: ImageError(.diskFull, "no room")))

    #expect(tally.images == 2)
    #expect(tally.downloaded == 1)
    #expect(tally.failed == 1)
    #expect(tally.bytesStored == 3)
    #expect(tally.exitStatus == 2)
  }
}
