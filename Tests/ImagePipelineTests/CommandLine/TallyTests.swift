import Testing

@testable import ImageFeeds
@testable import ImagePipeline
@testable import imgcache

@Suite struct `The summary of a prefetch` {
  private func result(keptWith failure: ImageError?) -> PrefetchResult {
    let request = ImageRequest(url: "http://test.invalid/a.jpg")
    let item = PrefetchItem(
      day: .firstOfZhihuDaily,
      image: FeedImage(url: request.url, role: .story, storyID: "1", index: 0))
    let response = DataResponse(
      request, body: .bytes([1, 2, 3]), byteCount: 3, record: .stub(byteCount: 3),
      source: .network, meter: TransferMeter(), storeFailure: failure)
    return PrefetchResult(
      item: item, outcome: .success(response), thumbnails: [], elapsed: .zero)
  }

  @Test func `counts each image once, and what could not be kept as failed`() {
    var tally = PrefetchTally()

    tally.add(result(keptWith: nil))
    tally.add(result(keptWith: ImageError(.diskFull, "no room")))

    #expect(tally.images == 2)
    #expect(tally.downloaded == 1)
    #expect(tally.failed == 1)
    #expect(tally.bytesStored == 3)
    #expect(tally.exitStatus == 2)
  }
}
