/// A picture, and how it was had.
public struct ImageResponse: Sendable {
  /// The URL as it was asked for.
  public let url: String
  /// The pixels, upright and processed; of an animation the first frame.
  public var image: PixelBuffer { picture.pixels }
  /// The picture and what is known of its original.
  public let picture: DecodedPicture
  /// Which tier answered.
  public let source: LoadSource
  /// How far it could be trusted.
  public let freshness: LoadFreshness
  /// The stages it went through, in the order of their ends, each with how long it took; those that others
  /// started and this load joined are among them. Empty for a hit in memory.
  public let steps: [LoadStep]
  /// From the call to the picture.
  public let elapsed: Duration

  /// How long a stage took, all its steps together; `nil` for one that was not entered.
  public func elapsed(in stage: LoadStage) -> Duration? {
    let times = steps.filter { $0.stage == stage }.map(\.elapsed)
    return times.isEmpty ? nil : times.reduce(.zero, +)
  }
}
