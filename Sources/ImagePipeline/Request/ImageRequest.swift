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

extension ImageRequest: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "url": WebURL.withoutUserinfo(url), "cachePolicy": cachePolicy, "priority": priority,
      "check": check, "headers": headers.summary, "isRetained": isRetained,
      "groups": groups, "thumbnail": thumbnail?.identity,
      "processing": processing.steps.isEmpty ? nil : processing.identity, "storage": storage,
      "keepsInMemory": keepsInMemory,
      "alternates": alternates.map(WebURL.withoutUserinfo), "placeholder": placeholder,
      "failureImage": failureImage,
    ]
  }
}

/// The rule for what a load stores on disk.
public enum StorageRule: String, Sendable, CaseIterable, Codable {
  /// The original of a plain request, the result of one with processors or a thumbnail. The
  /// default.
  case automatic
  /// The original.
  case original
  /// The encoded result: JPEG where it is opaque, else PNG.
  case result
  /// Both.
  case both
  /// Nothing.
  case none
}
