/// Several steps, one after the other; itself a step.
public struct ProcessingChain: ImageProcessing {
  /// The steps, first to last.
  public let steps: [any ImageProcessing]

  /// Creates a chain; an empty one returns its input.
  public init(_ steps: [any ImageProcessing]) {
    self.steps = steps
  }

  /// The identities of the steps, each with its length, so that none can look like two.
  public var identity: String {
    "chain(" + steps.map { "\($0.identity.utf8.count):\($0.identity)" }.joined() + ")"
  }

  /// Runs the steps; the first that fails ends the chain.
  public func process(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
    var result = picture
    for step in steps { result = try step.process(result) }
    return result
  }
}
