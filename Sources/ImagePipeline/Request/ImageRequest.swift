import HTTPTypes

/// What a caller wants: which picture, made into what, how far what is kept may be trusted.
public struct ImageRequest: Sendable, Hashable {
  /// The URL as its source spells it, `http` or `https`, or a file's where the pipeline reads files.
  public var url: String
  /// How far what is kept may be trusted. Default: the rules of HTTP.
  public var cachePolicy = CachePolicy.http
  /// How soon the picture is wanted. Default: normal.
  public var priority = LoadPriority.normal
  /// How much of an image must hold before it is stored. Default: every pixel decodes.
  public var check = ImageCheck.decode
  /// Fields to send beside those that the pipeline sets itself. Requests with different ones are not merged.
  public var headers = HTTPFields()
  /// Asked for by name, to be kept: stored even where the origin says `no-store` (as always stale), and not
  /// pushed out again by what the same process stores later. Default: false.
  public var isToBeKept = false
  /// Groups that the entry joins, such as `day:20200616`. Default: none.
  public var groups: Set<String> = []
  /// Decode straight into this small size: less memory and time than a ``Resize`` afterwards. Its format and
  /// quality count where the result goes to disk. Default: the full size.
  public var thumbnail: ThumbnailRecipe?
  /// Steps from the decoded picture to the one that is delivered. Default: none.
  public var processing = ProcessingChain()
  /// What goes to disk. Default: ``StorageRule/automatic``.
  public var storage = StorageRule.automatic
  /// Whether the result goes into memory. Default: yes.
  public var keepsInMemory = true
  /// URLs to try in turn when the first cannot be had. Default: none.
  public var alternates: [String] = []
  /// What is shown until the picture comes. Default: nothing.
  public var placeholder = ImagePlaceholder.none
  /// What is shown when the picture cannot be had. Default: the placeholder stays.
  public var failureImage: PixelBuffer?

  /// A request with the defaults.
  public init(url: String) {
    self.url = url
  }

  /// The steps of ``processing``.
  public var processors: [any ImageProcessing] {
    get { processing.steps }
    set { processing = ProcessingChain(newValue) }
  }
}
