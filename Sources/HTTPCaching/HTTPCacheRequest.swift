public import HTTPTypes
public import ImageModel

/// A request with the properties that the rules of caching use.
public struct HTTPCacheRequest: Sendable, Hashable {
  /// As in the request line.
  public var method: String
  /// The end-to-end fields.
  public var fields: HTTPFields
  /// Whether it carries content.
  public var hasBody: Bool
  /// How far what is stored may be used. Default: by the rules of HTTP.
  public var policy = CachePolicy.http
  /// Whether a response inside its `stale-while-revalidate` window may answer while the request to
  /// the origin is in flight. Default: true.
  public var acceptsRevalidatingMeanwhile = true
  /// Whether the response is stored even where the origin forbids it, for use by name alone; only
  /// an archive does so. Default: false.
  public var mustBeStored = false
  /// Whether it goes to the origin whatever is stored, and its response is not stored. Default:
  /// false.
  public var isPassed = false
  /// The URL of the request where it is looked up under another one, which `No-Vary-Search` makes of
  /// it: then only responses that answer this one count. Default: `nil`, the same.
  public var presentedURL: String?
  /// The fields, in lower case, by which a cache keeps responses apart although the origin may not say
  /// so: only those that name the same ones in `Vary` answer. Default: none.
  public var selectors: Set<String> = []

  /// Creates a request.
  public init(method: String = "GET", fields: HTTPFields = [:], hasBody: Bool = false) {
    self.method = method
    self.fields = fields
    self.hasBody = hasBody
  }

  /// Its directives, `Pragma` among them.
  public var control: CacheControl { CacheControl(fields) }

  /// Whether a stored response could answer it at all.
  ///
  /// `If-Match` and `If-Unmodified-Since` are for the origin alone (RFC 9111 §4.3.2).
  public var isAnswerable: Bool {
    !isPassed && (method == "GET" || method == "HEAD") && !hasBody && fields[.ifMatch] == nil
      && fields[.ifUnmodifiedSince] == nil
  }

  /// Whether it changes nothing at the origin (RFC 9110 §9.2.1, and the registry's safe methods).
  /// An unknown method is unsafe.
  public var isSafe: Bool {
    ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY"].contains(method)
  }

  var isConditional: Bool { fields[.ifNoneMatch] != nil || fields[.ifModifiedSince] != nil }

  var ranges: [HTTPByteRange]? {
    guard method == "GET", let ranges = fields[.range].flatMap({ HTTPByteRange.list($0) }),
      ranges.count <= ByteRangeParts.maximumCount
    else { return nil }
    return ranges
  }

  var range: HTTPByteRange? {
    method == "GET" ? fields[.range].flatMap { HTTPByteRange($0) } : nil
  }
}

extension HTTPCacheRequest: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "method": method, "fields": fields.summary, "hasBody": hasBody, "policy": policy,
      "isPassed": isPassed, "presentedURL": presentedURL, "selectors": selectors,
      "acceptsRevalidatingMeanwhile": acceptsRevalidatingMeanwhile, "mustBeStored": mustBeStored,
    ]
  }
}
