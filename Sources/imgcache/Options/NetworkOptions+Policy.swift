import ImagePipeline

extension NetworkOptions {
  /// How far what is kept may be trusted under these options.
  var cachePolicy: CachePolicy {
    offline ? .onlyIfCached : revalidate ? .revalidate : .http
  }

  /// What one transfer may cost under these options.
  var fetchLimits: FetchLimits {
    var limits = FetchLimits()
    limits.maximumByteCount = maximumBytes.count
    limits.lowSpeedTime = .seconds(timeout)
    limits.connectTime = .seconds(timeout)
    limits.totalTime = .seconds(maximumTime)
    return limits
  }
}
