import ImageFeeds
import ImagePipeline
import SampleFeed

extension NetworkOptions {
  /// Images that are checked, stored or about to be asked for while others are transferred.
  static let imagesBeyondTransfers = 8

  /// How far what is kept may be trusted under these options.
  var cachePolicy: CachePolicy {
    offline ? .onlyIfCached : revalidate ? .revalidate : .http
  }

  /// How the fetcher is to be made.
  ///
  /// - Parameters:
  ///   - urls: What the user named: these hosts and ports may be private.
  ///   - sample: The origin inside the process, whose name is mapped to its port.
  ///   - cache: Keeps the beginnings of bodies whose transfer broke off.
  func fetcher(
    named urls: [String], sample: SampleOrigin?, keepingPartsIn cache: DiskCache
  ) -> HTTPFetcher.Configuration {
    var configuration = HTTPFetcher.Configuration()
    configuration.hostGuard = HostGuard(exempting: urls)
    configuration.hostGuard.allowsPrivateNetworks = allowPrivateNetwork
    configuration.retryPolicy.maximumRetryCount = retries ?? 3
    configuration.userAgent = userAgent ?? "imgcache/\(Version.text) (image archive)"
    configuration.proxy = proxy
    configuration.maximumTransfers = concurrency
    configuration.maximumByteRate = limitRate?.count
    configuration.partialBodies = cache.partialBodies
    if let sample {
      configuration.connectTo["\(SampleOrigin.host):80"] = "127.0.0.1:\(sample.port)"
    }
    return configuration
  }

  /// Fills in the defaults of a server, whose clients wait for the answer.
  mutating func useServerDefaults() {
    retries = retries ?? 1
    timeout = timeout ?? TimeQuantity(.seconds(10))
    maximumTime = maximumTime ?? TimeQuantity(.seconds(30))
  }

  /// What one transfer may cost under these options.
  var fetchLimits: FetchLimits {
    var limits = FetchLimits()
    limits.maximumByteCount = maximumBytes.count
    limits.lowSpeedTime = timeout?.duration ?? .seconds(30)
    limits.connectTime = timeout?.duration ?? .seconds(30)
    limits.totalTime = maximumTime?.duration ?? .seconds(300)
    return limits
  }
}
