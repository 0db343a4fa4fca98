import CachePolicies
import HTTPTypes
import ImageCodecs
public import ImageModel

extension ImageRequest {
  /// The entry that holds the bytes of this request where no rule spells its URL otherwise.
  public var key: CacheKey { .image(at: url) }

  /// Whether the image is something else than the original, decoded.
  var isProcessed: Bool { thumbnail != nil || !processing.steps.isEmpty }

  var storesOriginal: Bool {
    switch storage.rule {
    case .automatic, .always, .original, .both: true
    case .result, .none: false
    }
  }

  /// Whether the encoded result of `data(for:)` goes to disk: of a plain request it would be the
  /// original once more.
  var storesResult: Bool {
    switch storage.rule {
    case .automatic, .always, .result, .both: isProcessed
    case .original, .none: false
    }
  }

  /// Whether the result of `image(for:)` is encoded for the disk, and read from there: by default it
  /// is made of the original, as it was at first.
  var storesPixels: Bool { storesResult && (storage.rule == .result || storage.rule == .both) }

  var mustBeStored: Bool { storage.rule == .always }
  /// Fields of the cache's own requests: with a caller's, the answer would not be the whole image.
  private static let reservedFields: [HTTPField.Name] = [
    .range, .ifRange, .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince,
  ]

  func check(limits: ImageLimits) throws(ImageError) {
    try thumbnail?.check(limits: limits)
    try processing.check()
    for name in Self.reservedFields where network.headers[name] != nil {
      throw ImageError(
        .invalidArgument, "network.headers has \(name), which the cache sends by itself")
    }
  }

  var isPinned: Bool { storage.retention == .pinned }

  /// The identity of the encoded result: the second half of its key.
  var resultIdentity: String { resultIdentity(of: nil) }

  /// The same for an original whose format is known.
  func resultIdentity(of format: ImageFormat?) -> String {
    let decoded = thumbnail?.following(format).identity ?? "full"
    return processing.steps.isEmpty ? decoded : "\(decoded)|\(processing.identity)"
  }

  /// Names the image in memory, by the URL as the pipeline's rule spells it and the fields that the
  /// pipeline sends to certain hosts: several pipelines may share the memory.
  func memoryKey(
    cacheURL url: String, originHeaders: OriginHeaders = OriginHeaders()
  ) -> MemoryKey {
    MemoryKey(ImageIdentity(request: self, url: ExactString(url), originHeaders: originHeaders))
  }
}

/// The identity of an image in memory: the URL, the fields of the request, the processing of the
/// bytes.
private struct ImageIdentity: Hashable {
  let request: ImageRequest
  let url: ExactString
  let originHeaders: OriginHeaders

  static func == (one: ImageIdentity, other: ImageIdentity) -> Bool {
    one.url == other.url && one.request.network.headers == other.request.network.headers
      && one.request.thumbnail == other.request.thumbnail
      && one.request.processing == other.request.processing
      && one.originHeaders == other.originHeaders
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    // Most requests have none of these; each is fed with a mark of its own.
    if !request.network.headers.isEmpty {
      hasher.combine(1)
      hasher.combine(request.network.headers)
    }
    if let thumbnail = request.thumbnail {
      hasher.combine(2)
      hasher.combine(thumbnail)
    }
    if !request.processing.steps.isEmpty {
      hasher.combine(3)
      hasher.combine(request.processing.identity)
    }
    if !originHeaders.isEmpty {
      hasher.combine(4)
      hasher.combine(originHeaders)
    }
  }
}

/// The identity of an original: not the urgency of the request, or the processing.
struct OriginalIdentity: Sendable, Hashable {
  let url: ExactString
  let cacheURL: ExactString
  let policy: CachePolicy
  let check: ImageCheck
  let mustBeStored: Bool
  let isPinned: Bool
  let headers: HTTPFields
  let alternates: [ExactString]
  let lifetime: Duration?
  let supplied: [UInt8]?
  /// Loads from before and after a purge are different.
  let epoch: UInt64

  init(_ request: ImageRequest, cacheURL: String, policy: CachePolicy, epoch: UInt64) {
    self.epoch = epoch
    url = ExactString(WebURL.withoutFragment(request.url))
    self.cacheURL = ExactString(cacheURL)
    self.policy = policy
    check = request.decoding.check
    mustBeStored = request.mustBeStored
    isPinned = request.isPinned
    headers = request.network.headers
    alternates = request.network.alternates.map(ExactString.init)
    lifetime = request.cache.lifetime
    supplied = request.supplied
  }
}

/// The identity of the work for an image: the original, how it is decoded, and the steps so far.
struct PixelsIdentity: Sendable, Hashable {
  let original: MemoryKey
  let thumbnail: ThumbnailRecipe?
  let steps: ProcessingChain
  let storesResult: Bool
}
