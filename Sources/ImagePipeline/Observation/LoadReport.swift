public import ImageModel

/// The report of one request: what was requested, the stages it went through, and how it ended. A
/// request for an original with thumbnails has one report for the original and one for each
/// thumbnail that was made, with the time of the whole load. The reports of these thumbnails and of
/// documents have no stages.
public struct LoadReport: Sendable, CustomStringConvertible {
  /// How a successful request ended.
  public struct Ending: Sendable, Hashable {
    /// Which tier answered.
    public var source: LoadSource
    /// How fresh the response was.
    public var freshness: LoadFreshness
    /// The bytes of the response: encoded bytes, or the pixels of a decoded image.
    public var byteCount: Int
    /// The identity of what was made from the original; `nil` for the original's own bytes.
    public var variant: String?
    /// Whether the request joined one in flight and entered no stage itself.
    public var wasShared = false
  }

  /// The number of the request within its pipeline, from 1.
  public let id: UInt64
  /// The request; of a document, its URL alone.
  public let request: ImageRequest
  /// Whether a document was loaded, the list of a feed or a page, and not an image.
  public let isDocument: Bool
  /// The stages that it entered.
  public let steps: [LoadStep]
  /// The time from the call to the end.
  public let elapsed: Duration
  /// How it ended.
  public let result: Result<Ending, any Error>

  /// The code of the failure; `nil` for success and cancellation.
  public var failure: ImageError.Code? {
    if case .failure(let error as ImageError) = result { error.code } else { nil }
  }

  /// Whether it was cancelled.
  public var wasCancelled: Bool {
    if case .failure(let error) = result { error is CancellationError } else { false }
  }

  /// One line: the URL, how it ended, and the stages. For example `#7 https://example.org/a.jpg:
  /// revalidated, current, 20482 bytes, 12.4 ms [disk: found (0.1 ms); …]`.
  public var description: String {
    let url = WebURL.withoutUserinfo(request.url)
    let words: String
    switch result {
    case .success(let ending):
      words =
        "\(ending.source.rawValue), \(ending.freshness.rawValue), \(ending.byteCount) bytes"
        + (ending.wasShared ? ", joined others" : "")
    case .failure(let error as ImageError):
      let (text, name) = ("\(error)", "\(url): ")
      let reason = text.hasPrefix(name) ? String(text.dropFirst(name.count)) : text
      words = "failed (\(error.code.rawValue)): \(reason)"
    case .failure: words = "cancelled"
    }
    let tenths = (elapsed / .microseconds(100)).rounded() / 10
    let way = steps.map(\.description).joined(separator: "; ")
    return "#\(id) \(url): \(words), \(tenths) ms [\(way)]"
  }
}
