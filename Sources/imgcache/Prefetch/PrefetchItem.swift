import ImageFeeds
import ImagePipeline

/// One image of one day, on its way to the cache.
struct PrefetchItem: Sendable {
  let day: DayKey
  let image: FeedImage
  /// The place in the run; loads end in any order.
  var number = 0
}

/// What came of one item.
struct PrefetchResult: Sendable {
  let item: PrefetchItem
  let outcome: Result<DataResponse, ImageError>
  /// For each size asked for: whether the thumbnail was made now, or why it could not be.
  let thumbnails: [Result<Bool, ImageError>]
  /// From the moment its turn came to its commit.
  let elapsed: Duration
}
