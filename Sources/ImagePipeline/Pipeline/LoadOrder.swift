/// A request on its way through the stages, with what follows from it and the configuration, worked out once.
///
/// A reference: requests are large values, and every stage hands theirs on.
final class LoadOrder: Sendable {
  let request: ImageRequest
  /// The URL as the pipeline's rule spells it.
  let spelled: String
  /// The policy of the request, or of its host.
  let policy: CachePolicy
  /// Names the load of its bytes.
  let dataKey: MemoryKey
  /// Whether its result is looked for on disk, and kept there.
  let storesResult: Bool

  init(_ request: ImageRequest, _ configuration: ImagePipeline.Configuration) {
    self.request = request
    spelled = configuration.spell(request.url)
    policy = configuration.policy(for: request)
    dataKey = MemoryKey(DataIdentity(request, spelled: spelled, policy: policy))
    storesResult =
      request.storesResult && configuration.diskCache != nil
      && !(configuration.readsLocalFiles && FileFetcher.path(of: request.url) != nil)
  }

  /// The request as the HTTP cache sees it.
  ///
  /// - Parameter isLookedAt: Whether a caller waits that prefers a stale image now. A prefetch does
  ///   not: it is there to make things fresh. Default: yes.
  func cacheRequest(isLookedAt: Bool = true) -> HTTPCacheRequest {
    var cacheRequest = HTTPCacheRequest(fields: request.headers)
    cacheRequest.policy = policy
    cacheRequest.acceptsRevalidatingMeanwhile = isLookedAt
    cacheRequest.mustBeStored = request.isToBeKept
    return cacheRequest
  }

  /// Names the picture after some of the steps.
  func key(of steps: ProcessingChain, storesResult: Bool) -> MemoryKey {
    MemoryKey(
      PictureNode(
        data: dataKey, thumbnail: request.thumbnail, steps: steps, storesResult: storesResult))
  }
}
