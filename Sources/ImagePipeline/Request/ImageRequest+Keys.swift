import HTTPTypes

extension ImageRequest {
  /// The entry that holds the bytes of this request where no rule spells its URL otherwise.
  public var key: CacheKey { .original(url: url) }

  /// Whether the picture is something else than the original, decoded.
  var isProcessed: Bool { thumbnail != nil || !processing.steps.isEmpty }

  /// Whether the original's bytes go to disk.
  var storesOriginal: Bool {
    switch storage {
    case .automatic: !isProcessed
    case .original, .both: true
    case .result, .none: false
    }
  }

  /// Whether the encoded result goes to disk: of a plain request it would be the original once more.
  var storesResult: Bool {
    switch storage {
    case .automatic, .result, .both: isProcessed
    case .original, .none: false
    }
  }

  /// How the result is encoded for the disk, and the second half of its key.
  var resultIdentity: String {
    (thumbnail?.identity ?? "full") + "|" + processing.identity
  }

  /// Names the picture in memory.
  ///
  /// - Parameter url: As the pipeline's rule spells it.
  func memoryKey(spelled url: String) -> MemoryKey {
    MemoryKey(PictureIdentity(request: self, url: url))
  }
}

/// What makes two pictures in memory the same: the URL, the fields of the request, what is made of the bytes.
private struct PictureIdentity: Hashable {
  let request: ImageRequest
  let url: String

  static func == (one: PictureIdentity, other: PictureIdentity) -> Bool {
    one.url == other.url && one.request.headers == other.request.headers
      && one.request.thumbnail == other.request.thumbnail
      && one.request.processing == other.request.processing
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    // Most requests have none of these; each is fed with a mark of its own.
    if !request.headers.isEmpty {
      hasher.combine(1)
      hasher.combine(request.headers)
    }
    if let thumbnail = request.thumbnail {
      hasher.combine(2)
      hasher.combine(thumbnail)
    }
    if !request.processing.steps.isEmpty {
      hasher.combine(3)
      hasher.combine(request.processing.identity)
    }
  }
}

/// What makes two loads of bytes the same: not who asks, how urgently, or what is made of them.
struct DataIdentity: Sendable, Hashable {
  let url: String
  let spelled: String
  let policy: CachePolicy
  let check: ImageCheck
  let isToBeKept: Bool
  let headers: HTTPFields
  let alternates: [String]

  init(_ request: ImageRequest, spelled: String, policy: CachePolicy) {
    url = request.url
    self.spelled = spelled
    self.policy = policy
    check = request.check
    isToBeKept = request.isToBeKept
    headers = request.headers
    alternates = request.alternates
  }

  /// Most requests have neither fields nor alternates; those that have feed a mark besides.
  func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    if spelled != url { hasher.combine(spelled) }
    hasher.combine(policy)
    hasher.combine(check)
    hasher.combine(isToBeKept)
    if !headers.isEmpty {
      hasher.combine(1)
      hasher.combine(headers)
    }
    if !alternates.isEmpty {
      hasher.combine(2)
      hasher.combine(alternates)
    }
  }
}

/// What makes two pictures the same work: the bytes, how they are decoded, and the steps so far.
struct PictureNode: Sendable, Hashable {
  let data: MemoryKey
  let thumbnail: ThumbnailRecipe?
  let steps: ProcessingChain
  let storesResult: Bool
}
