import Testing

@testable import ImageFeeds
@testable import ImageModel
@testable import ImagePipeline
@testable import imgcache
@testable import TestSupport

@Suite struct `The summary of a prefetch` {
  private func result(
    _ url: String = "http://test.invalid/a.jpg", day: DayKey = .firstOfZhihuDaily,
    from source: LoadSource = .network, keptWith failure: ImageError? = nil
  ) -> ArchivedImage {
    let request = ImageRequest(url: url)
    let image = DayImage(
      day: day, image: FeedImage(url: request.url, role: .story, storyID: "1", index: 0), number: 1)
    var response = DataResponse(
      request.url, .bytes([1, 2, 3]), original: .stub(byteCount: 3), source: source)
    response.storeFailure = failure
    return ArchivedImage(
      image: image, outcome: .success(response), thumbnails: [], elapsed: .zero, source: source)
  }

  @Test func `a URL on two days counts once, as what came of it first`() {
    var progress = PrefetchProgress()

    progress.add(result())
    progress.add(result(day: DayKey.firstOfZhihuDaily.next, from: .disk))
    progress.add(result(day: DayKey.firstOfZhihuDaily.next.next))

    #expect(progress.images == 1 && progress.total == 1)
    #expect(progress.downloaded == 1 && progress.cached == 0)
    #expect(progress.bytesStored == 3)
  }

  @Test func `a URL that another load had just stored is downloaded, whichever ends first`() {
    var progress = PrefetchProgress()

    progress.add(result(from: .disk))
    progress.add(result(day: DayKey.firstOfZhihuDaily.next))
    progress.add(result(day: DayKey.firstOfZhihuDaily.next.next, from: .disk))

    #expect(progress.images == 1 && progress.downloaded == 1 && progress.cached == 0)
    #expect(progress.bytesStored == 3)
  }

  @Test func `a URL that failed once and came later has not failed`() {
    var progress = PrefetchProgress()
    let failed = ArchivedImage(
      image: result().image, outcome: .failure(ImageError(.timedOut, "late")), thumbnails: [],
      elapsed: .zero)

    progress.add(failed)
    #expect(progress.failed == 1 && progress.exitStatus == 1)
    progress.add(result())
    progress.add(failed)

    #expect(progress.images == 1 && progress.failed == 0 && progress.downloaded == 1)
    #expect(progress.exitStatus == 0)
    // What could not be kept has failed.
    progress.add(
      result("http://test.invalid/b.jpg", keptWith: ImageError(.diskFull, "no room")))
    #expect(progress.images == 2 && progress.failed == 1 && progress.bytesStored == 3)
    #expect(progress.exitStatus == 2)
  }

  @Test func `an interrupted run says how far it came`() {
    var progress = PrefetchProgress()
    #expect(progress.interruption.contains("before the first day"))
    let images = (0..<3).map {
      FeedImage(url: "http://test.invalid/\($0).jpg", role: .story, storyID: "1", index: $0)
    }
    let story = with(FeedStory(id: "1")) { $0.images = images }
    progress.begin(.firstOfZhihuDaily)
    progress.announce(story.images)
    progress.add(result(images[0].url))
    progress.isInterrupted = true

    #expect(progress.interruption == "interrupted: 1 of 3 images; run again to continue")
    #expect(progress.text(elapsed: .zero).contains(progress.interruption))
    #expect(progress.json(elapsed: .zero).description.contains("\"interrupted\":true"))
    progress.remainingDays = 4
    #expect(
      progress.interruption == "interrupted: 1 of 3 images, 1 of 5 days; run again to continue")
  }

  @Test(arguments: [
    (ImageError.Code.diskFull, Int32(2)), (.libraryMissing, 2), (.httpStatus, 1), (.timedOut, 1),
  ])
  func `a day fails by what failed`(code: ImageError.Code, status: Int32) {
    var progress = PrefetchProgress()
    progress.failedDays = 1

    #expect(progress.text(elapsed: .zero) == "1 day not available, no image loaded in 0.0 s")
    progress.record(ImageError(code, "not read"))

    #expect(progress.exitStatus == status)
  }

  @Test(arguments: [
    (nil, nil, "never refreshed completely"), ("B", nil, "refreshed B for the first time"),
    ("B", "A", "refreshed B, before that A"), ("A", "A", "last refreshed completely A"),
  ])
  func `a refresh tells when it last succeeded`(latest: String?, previous: String?, text: String) {
    #expect(RefreshCommand.text(latest: latest, previous: previous) == text)
  }
}
