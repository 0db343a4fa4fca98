/// One request from its beginning to its end, so that it explains itself.
public struct LoadTrace: Sendable, CustomStringConvertible {
  /// How a request ended that ended well.
  public struct Ending: Sendable, Hashable {
    /// Which tier answered.
    public var source: LoadSource
    /// How far the answer could be trusted.
    public var freshness: LoadFreshness
    /// Bytes of the answer: encoded where bytes were asked for, decoded where a picture was.
    public var byteCount: Int
    /// What was made of the original, as its key says it; `nil` for the original's own bytes.
    public var variant: String?
    /// Whether the request joined others at work and entered no stage itself.
    public var wasShared: Bool

    init(_ response: ImageResponse, to request: ImageRequest, wasShared: Bool = false) {
      source = response.source
      freshness = response.freshness
      byteCount = response.picture.byteCount
      variant = request.resultIdentity
      self.wasShared = wasShared && response.source != .memory
    }

    init(_ made: ThumbnailResponse, _ recipe: ThumbnailRecipe) {
      source = made.source
      freshness = made.freshness
      byteCount = made.bytes.count
      variant = recipe.identity
      wasShared = made.wasShared
    }

    init(_ response: DataResponse, wasShared: Bool) {
      source = response.source
      freshness = response.freshness
      byteCount = response.byteCount
      self.wasShared = wasShared
    }
  }

  /// Counts the requests of a pipeline, from 1.
  public let id: UInt64
  /// What was asked for.
  public let request: ImageRequest
  /// The stages that were entered for it.
  public let steps: [LoadStep]
  /// From the call to the end.
  public let elapsed: Duration
  /// How it ended.
  public let result: Result<Ending, any Error>

  /// The code of the failure; `nil` for success and cancellation.
  public var failure: ImageError.Code? {
    if case .failure(let error as ImageError) = result { error.code } else { nil }
  }

  /// Whether nobody wanted it any more.
  public var wasCancelled: Bool {
    if case .failure(let error) = result { error is CancellationError } else { false }
  }

  /// One line: what, how it ended, and the way there. For example
  /// `#7 https://example.org/a.jpg: revalidated, current, 20482 bytes, 12.4 ms [disk: found (0.1 ms); …]`.
  public var description: String {
    let words: String
    switch result {
    case .success(let ending):
      words =
        "\(ending.source.rawValue), \(ending.freshness.rawValue), \(ending.byteCount) bytes"
        + (ending.wasShared ? ", joined others" : "")
    case .failure(let error as ImageError): words = "failed (\(error.code.rawValue)): \(error)"
    case .failure: words = "cancelled"
    }
    let tenths = (elapsed / .microseconds(100)).rounded() / 10
    let way = steps.map(\.description).joined(separator: "; ")
    return "#\(id) \(request.url): \(words), \(tenths) ms [\(way)]"
  }
}
