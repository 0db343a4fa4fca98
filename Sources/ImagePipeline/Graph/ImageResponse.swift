public import ImageModel

/// A decoded image, and where it came from.
public struct ImageResponse: Sendable {
  /// The URL of the request.
  public let url: String
  /// The pixels, upright and processed; of an animation the first frame.
  public var image: PixelBuffer { decoded.pixels }
  /// The decoded image with the properties of its original.
  public let decoded: DecodedImage
  /// The tier that answered.
  public let source: LoadSource
  /// The freshness of the original.
  public let freshness: LoadFreshness
  /// The stages of the load, in the order of their ends, those that another load had started
  /// included. Empty for a hit in memory.
  public let steps: [LoadStep]
  /// The time from the call to the image.
  public let elapsed: Duration

  /// The time of all steps of a stage; `nil` for a stage that was not entered.
  public func elapsed(in stage: LoadStage) -> Duration? {
    let times = steps.filter { $0.stage == stage }.map(\.elapsed)
    return times.isEmpty ? nil : times.reduce(.zero, +)
  }
}

extension ImageResponse: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "url": url, "image": image, "format": decoded.format, "originalSize": decoded.originalSize,
      "source": source, "freshness": freshness, "elapsed": elapsed,
    ]
  }
}

extension LoadReport.Ending {
  init(_ response: ImageResponse, to request: ImageRequest, wasShared: Bool = false) {
    source = response.source
    freshness = response.freshness
    byteCount = response.decoded.byteCount
    variant = request.resultIdentity
    self.wasShared = wasShared && response.source != .memory
  }
}
