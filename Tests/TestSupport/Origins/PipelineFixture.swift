@testable import CachePolicies
@testable import DiskCaching
@testable import ImageModel
@testable import ImagePipeline

/// A pipeline around a stub, with a manual clock.
struct PipelineFixture {
  let fetcher: StubFetcher
  let clock = ManualClock()
  let memory = MemoryCache<DecodedImage>()
  let cache: DiskCache?
  let pipeline: ImagePipeline
  private let scratch: Scratch?

  /// - Parameters:
  ///   - scratch: Where its directory is; none by default.
  ///   - onDisk: Whether it has a directory of its own.
  init(
    _ fetcher: StubFetcher = StubFetcher(), in scratch: Scratch? = nil, onDisk: Bool = false,
    _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) throws {
    self.fetcher = fetcher
    let clock = clock
    let scratch = try scratch ?? (onDisk ? Scratch() : nil)
    self.scratch = scratch
    cache = try scratch.map { scratch in
      var configuration = DiskCache.Configuration(directory: scratch / "cache")
      configuration.clock = { clock.now }
      return try DiskCache(configuration)
    }
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.sharedMemory = memory
    configuration.diskCache = cache
    configuration.clock = { clock.now }
    change(&configuration)
    pipeline = try ImagePipeline(configuration)
  }
}
