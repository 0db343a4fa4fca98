import ImagePipeline
import ImageFeeds
struct StandinFetcher: DataFetching {
  func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    throw ImageError(.connectionFailed, "the fetcher is not there yet")
  }
}
