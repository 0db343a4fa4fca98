import CachePolicies
import DiskCaching
import HTTPCaching
import ImageCodecs
import ImageFetching
import ImageModel

/// A request with what follows from it and the configuration, computed once.
///
/// A reference: requests are large values, and every stage passes theirs on.
final class ResolvedRequest: Sendable {
  let request: ImageRequest
  /// The URL as the keys of its entries spell it.
  let cacheURL: String
  let credentials: RequestCredentials
  let policy: CachePolicy
  let originalKey: MemoryKey
  /// The path of the file, where the pipeline reads files and the URL names one.
  let localPath: String?
  let storesOriginal: Bool
  /// Whether the encoded result is looked up on disk, and stored there.
  let storesResult: Bool
  /// The same of the pixels of `image(for:)`.
  let storesPixels: Bool
  /// The shared tier, which records whether the entry on disk was purged elsewhere; `nil` if
  /// nothing is stored.
  let tier: (any SharedResponseTier)?
  /// The end of the wait for another server's load.
  let deadline: ContinuousClock.Instant?
  /// Whether other servers may use the origin's response: neither the request nor the rule of its
  /// host adds fields.
  let isShareable: Bool
  /// The number of purges before it; see ``PurgeEffects``.
  let epoch: UInt64
  let begun: Date

  init(_ request: ImageRequest, _ configuration: ImagePipeline.Configuration, epoch: UInt64) {
    var request = request
    request.url = configuration.fetcher.credentials.extract(from: request.url)
    self.request = request
    self.epoch = epoch
    begun = configuration.clock()
    cacheURL = configuration.cacheURL(of: request)
    credentials = RequestCredentials(
      request.network.headers, for: cacheURL, at: request.cache.key == nil ? nil : request.url,
      headers: configuration.originHeaders)
    policy = configuration.policy(for: request)
    originalKey = MemoryKey(
      OriginalIdentity(request, cacheURL: cacheURL, policy: policy, epoch: epoch))
    localPath = configuration.readsLocalFiles ? FileFetcher.path(of: request.url) : nil
    let mayStore = configuration.diskCache != nil && localPath == nil
    storesOriginal = request.storesOriginal && mayStore
    storesResult = request.storesResult && mayStore
    storesPixels = request.storesPixels && mayStore
    // What is sent for a password stays here.
    let isPublic =
      configuration.sharedTier == nil || !configuration.fetcher.credentials.mayConcern(request.url)
    // What a server has at a path, another one has not.
    let isLocal = LocalAddress.isNamed(by: request.url)
    tier =
      (storesOriginal || storesResult) && isPublic && !isLocal ? configuration.sharedTier : nil
    deadline = tier.map { _ in .now + configuration.fetchLimits(for: request).totalTime.bounded }
    isShareable =
      tier != nil && request.network.headers.isEmpty && request.supplied == nil
      && credentials.sent().isEmpty
  }

  /// The request in the form that the HTTP cache uses.
  ///
  /// - Parameter isInteractive: Whether a caller waits that prefers a stale image now. A prefetch
  ///   does not: its purpose is to refresh.
  func cacheRequest(isInteractive: Bool) -> HTTPCacheRequest {
    var cacheRequest = HTTPCacheRequest(fields: request.network.headers)
    cacheRequest.policy = policy
    cacheRequest.acceptsRevalidatingMeanwhile = isInteractive
    cacheRequest.mustBeStored = request.mustBeStored
    return cacheRequest
  }

  /// The error of a load of this request, with its URL: what several requests share names another
  /// one's, or none.
  func failure(_ error: any Error) -> any Error {
    guard var error = error as? ImageError else { return error }
    error.url = request.url
    return error
  }

  /// - Parameter headers: The fields for hosts that the request for it was sent with. Default: none.
  func record(
    of response: StoredResponse, in disk: DiskStore?,
    sentWith headers: OriginHeaders = OriginHeaders()
  ) -> CacheRecord {
    let response = response.withoutCookieValues
    var record = CacheRecord(key: .original(url: cacheURL), at: response.responseTime)
    if let disk {
      record = disk.record(of: response, to: credentials, sentWith: headers)
    } else {
      record.adopt(response)
    }
    record.groups = request.storage.groups
    return record
  }

  /// Whether a stored response may answer without a question to the origin.
  var mayReuse: Bool { policy == .http || policy == .forever }

  func key(of steps: ProcessingChain, storesResult: Bool) -> MemoryKey {
    MemoryKey(
      PixelsIdentity(
        original: originalKey, thumbnail: request.thumbnail, steps: steps,
        storesResult: storesResult))
  }

  var resultKey: MemoryKey {
    MemoryKey(
      ResultIdentity(
        original: originalKey, identity: request.resultIdentity,
        maximumSide: request.thumbnail?.maximumSide ?? .max, storesOriginal: storesOriginal,
        storesResult: storesResult))
  }

  /// The entry of the encoded result: named by the original's bytes, so that equal images under
  /// several URLs share it and a changed original never answers with an old result; by the URL and
  /// the credentials if the original is not stored.
  func entry(of hash: BlobHash?, _ format: ImageFormat? = nil, in disk: DiskStore?) -> CacheKey {
    guard let hash else {
      return CacheKey.variant(source: cacheURL, recipe: request.resultIdentity)
        .marked(disk?.keyMark(of: credentials) ?? "")
    }
    return .variant(source: "\(hash)", recipe: request.resultIdentity(of: format))
  }
}

private struct ResultIdentity: Hashable {
  let original: MemoryKey
  let identity: String
  /// Decides what is refused, so it is not part of the identity.
  let maximumSide: Int
  let storesOriginal: Bool
  let storesResult: Bool
}
