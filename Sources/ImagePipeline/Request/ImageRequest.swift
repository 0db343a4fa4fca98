import HTTPTypes

/// What a caller wants: which picture, how far what is kept may be trusted, and how much it must prove.
public struct ImageRequest: Sendable, Hashable {
  /// The URL as its source spells it, `http` or `https`; it is the key of the entry.
  public var url: String
  /// How far what is kept may be trusted. Default: the rules of HTTP.
  public var cachePolicy = CachePolicy.http
  /// How soon the picture is wanted. Default: normal.
  public var priority = LoadPriority.normal
  /// How much of an image must hold before it is stored. Default: every pixel decodes.
  public var check = ImageCheck.decode
  /// Fields to send beside those that the pipeline sets itself.
  public var headers = HTTPFields()
  /// Asked for by name, to be kept: stored even where the origin says `no-store` (as always stale), and not
  /// pushed out again by what the same process stores later. Default: false.
  public var isToBeKept = false
  /// Groups that the entry joins, such as `day:20200616`. Default: none.
  public var groups: Set<String> = []

  /// A request with the defaults.
  public init(url: String) {
    self.url = url
  }

  /// The entry that holds the bytes of this request.
  public var key: CacheKey { .original(url: url) }
}
