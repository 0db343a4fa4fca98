public import HTTPTypes
public import ImageCodecs
public import ImageModel
public import LoadScheduling

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A request for an image: its URL, what is made of it, and how caches and the network are used.
///
///     var request: ImageRequest = "https://example.org/a.jpg"
///     request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 200, height: 150))
///     request.network.timeout = .seconds(10)
public struct ImageRequest: Sendable, Hashable, ExpressibleByStringLiteral {
  /// How cached entries are used.
  public struct Cache: Sendable, Hashable {
    /// Which entries may answer. Default: those that may by the rules of HTTP.
    public var policy = CachePolicy.http
    /// The name of the image in all caches, also that by which it is purged, in place of its URL: for
    /// URLs that change, such as signed ones. Default: `nil`, the URL as `hostRules.cacheURL` spells
    /// it.
    public var key: String?
    /// How long the response is fresh, whatever its origin says, `no-store` included. Default: `nil`,
    /// as its origin says.
    public var lifetime: Duration?
    /// Whether the result is kept in memory. Default: yes.
    public var keepsInMemory = true
  }

  /// What is stored on disk, and for how long.
  public struct Storage: Sendable, Hashable {
    /// What is stored. Default: ``StorageRule/automatic``.
    public var rule = StorageRule.automatic
    /// Whether the entry may be evicted. Default: yes.
    public var retention = StorageRetention.evictable
    /// Groups that the entry joins, such as `day:20200616`. Default: none.
    public var groups: Set<String> = []
  }

  /// How the image is fetched.
  public struct Network: Sendable, Hashable {
    /// Fields to send besides those of the pipeline. Requests with different fields are not
    /// coalesced; whether what is stored for one answers another is up to `Vary`, except for
    /// credentials. Ranges and conditions are refused: the cache sends its own.
    public var headers = HTTPFields()
    /// URLs to try in turn when the first fails. Default: none.
    public var alternates: [String] = []
    /// How long this request may take, all attempts and the wait for a place together; then it fails
    /// with code `timedOut`, and the work ends unless another request waits for it. One that is
    /// longer than `FetchLimits.totalTime` is the time for the fetch that it begins. Default: `nil`,
    /// the fetch alone has a limit, ``ImagePipeline/Configuration/fetchLimits``.
    public var timeout: Duration?
  }

  /// How the image is decoded.
  public struct Decoding: Sendable, Hashable {
    /// How thoroughly an image is checked before it is stored. Default: every pixel is decoded.
    public var check = ImageCheck.decode
  }

  /// The URL as its source spells it: `http`, `https`, or a file where the pipeline reads files.
  public var url: String
  /// The thumbnail to decode directly, which takes less memory and time than a `Resize`
  /// afterwards. Its format and quality are those of the stored result. Default: the full size.
  public var thumbnail: ThumbnailRecipe?
  /// Steps from the decoded image to the result. Default: none.
  public var processors: [any ImageProcessing] {
    get { processing.steps }
    set { processing = ProcessingChain(newValue) }
  }
  /// The urgency. Default: normal.
  public var priority = LoadPriority.normal
  /// The content to show until the image has loaded. Default: nothing.
  public var placeholder = ImagePlaceholder.none
  /// The image to show when the load fails. Default: the placeholder stays.
  public var failureImage: PixelBuffer?
  /// How cached entries are used.
  public var cache = Cache()
  /// What is stored on disk.
  public var storage = Storage()
  /// How the image is fetched.
  public var network = Network()
  /// How the image is decoded.
  public var decoding = Decoding()
  package var processing = ProcessingChain()
  /// What is stored as the response of its origin, without a request to it.
  package var supplied: [UInt8]?

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - url: The URL as its source spells it.
  ///   - thumbnail: The thumbnail to decode. Default: the full size.
  ///   - processors: Steps from the decoded image to the result. Default: none.
  ///   - priority: The urgency. Default: normal.
  ///   - cachePolicy: Which entries may answer. Default: those that may by the rules of HTTP.
  public init(
    url: String, thumbnail: ThumbnailRecipe? = nil, processors: [any ImageProcessing] = [],
    priority: LoadPriority = .normal, cachePolicy: CachePolicy = .http
  ) {
    self.url = url
    self.thumbnail = thumbnail
    self.priority = priority
    cache.policy = cachePolicy
    if !processors.isEmpty { processing = ProcessingChain(processors) }
  }

  /// Creates a request for a URL of Foundation; see the other initializer.
  public init(
    url: URL, thumbnail: ThumbnailRecipe? = nil, processors: [any ImageProcessing] = [],
    priority: LoadPriority = .normal, cachePolicy: CachePolicy = .http
  ) {
    self.init(
      url: url.absoluteString, thumbnail: thumbnail, processors: processors, priority: priority,
      cachePolicy: cachePolicy)
  }

  /// Creates a request with the defaults.
  public init(stringLiteral url: String) { self.init(url: url) }
}

extension ImageRequest: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "url": WebURL.withoutUserinfo(url), "thumbnail": thumbnail?.identity,
      "processors": processing.identity, "priority": priority, "placeholder": placeholder,
      "failureImage": failureImage, "cache": "\(cache)", "storage": "\(storage)",
      "network": "\(network)", "decoding": "\(decoding)",
    ]
  }
}

extension ImageRequest.Network: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "headers": headers.summary, "alternates": alternates.map(WebURL.withoutUserinfo),
      "timeout": timeout,
    ]
  }
}

/// The rule for what a load stores on disk.
public enum StorageRule: String, Sendable, CaseIterable, Codable {
  /// The original, and the encoded result of `data(for:)` and `file(for:)`. The default.
  ///
  /// Several sizes of an image are one download, and the pixels that `image(for:)` makes of the
  /// stored original are the same as those of the first load.
  case automatic
  /// As ``automatic``, even if the origin sends `no-store`; then the entry is always stale.
  case always
  /// The original.
  case original
  /// The encoded result, also of `image(for:)`, whose pixels then come from it: in the format and
  /// quality of the thumbnail, else JPEG where it is opaque and PNG where not.
  case result
  /// The original and the encoded result.
  case both
  /// Nothing.
  case none
}

/// Whether the disk cache may evict an entry.
public enum StorageRetention: String, Sendable, CaseIterable, Codable {
  /// It is evicted when there is no room. The default.
  case evictable
  /// Later stores of the same process do not evict it.
  case pinned
}
