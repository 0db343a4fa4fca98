public import HTTPTypes
public import ImageCodecs
public import ImageModel
public import LoadScheduling

/// A request for an image: its URL, what is made of it, and how caches are used.
public struct ImageRequest: Sendable, Hashable {
  /// The URL as its source spells it: `http`, `https`, or a file where the pipeline reads files.
  public var url: String
  /// How cached entries are used. Default: by the rules of HTTP.
  public var cachePolicy = CachePolicy.http
  /// The urgency. Default: normal.
  public var priority = LoadPriority.normal
  /// How thoroughly an image is checked before it is stored. Default: every pixel is decoded.
  public var check = ImageCheck.decode
  /// Fields to send besides those of the pipeline. Requests with different fields are not
  /// coalesced.
  public var headers = HTTPFields()
  /// Whether the entry is stored even if the origin sends `no-store` (as always stale), and is not
  /// evicted by later stores of the same process. Default: false.
  public var isRetained = false
  /// Groups that the entry joins, such as `day:20200616`. Default: none.
  public var groups: Set<String> = []
  /// The thumbnail to decode directly, which takes less memory and time than a `Resize`
  /// afterwards. Its format and quality are those of the stored result. Default: the full size.
  public var thumbnail: ThumbnailRecipe?
  /// Steps from the decoded image to the result. Default: none.
  public var processing = ProcessingChain()
  /// The rule for storing on disk. Default: ``StorageRule/automatic``.
  public var storage = StorageRule.automatic
  /// Whether the result is kept in memory. Default: yes.
  public var keepsInMemory = true
  /// URLs to try in turn when the first fails. Default: none.
  public var alternates: [String] = []
  /// How long this request may take, all attempts and the wait for a place together; then it fails
  /// with code `timedOut`, and the work ends unless another request waits for it. One that is longer
  /// than `FetchLimits.totalTime` is the time for the fetch that it begins. Default: `nil`, the fetch
  /// alone has a limit, ``ImagePipeline/Configuration/fetchLimits``.
  public var timeout: Duration?
  /// The content to show until the image has loaded. Default: nothing.
  public var placeholder = ImagePlaceholder.none
  /// The image to show when the load fails. Default: the placeholder stays.
  public var failureImage: PixelBuffer?

  /// Creates a request with the defaults.
  public init(url: String) {
    self.url = url
  }

  /// The steps of ``processing``.
  public var processors: [any ImageProcessing] {
    get { processing.steps }
    set { processing = ProcessingChain(newValue) }
  }
}

/// The rule for what a load stores on disk.
public enum StorageRule: String, Sendable, CaseIterable, Codable {
  /// The original, and the encoded result of `data(for:)` and `file(for:)`. The default.
  ///
  /// Several sizes of an image are one download, and the pixels that `image(for:)` makes of the
  /// stored original are the same as those of the first load.
  case automatic
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
