/// Several steps, one after the other; itself a step.
public struct ProcessingChain: ImageProcessing, Hashable {
  /// The steps, first to last.
  public let steps: [any ImageProcessing]
  /// The identities of the steps, each with its length, so that none can look like two.
  public let identity: String

  /// Creates a chain; an empty one returns its input.
  public init(_ steps: [any ImageProcessing] = []) {
    self.steps = steps
    identity =
      steps.isEmpty
      ? "chain()"
      : "chain(" + steps.map { "\($0.identity.utf8.count):\($0.identity)" }.joined() + ")"
  }

  /// Its first steps.
  func prefix(_ count: Int) -> ProcessingChain { ProcessingChain(Array(steps.prefix(count))) }

  /// Two chains are the same when their identities are.
  public static func == (one: ProcessingChain, other: ProcessingChain) -> Bool {
    one.identity == other.identity
  }

  /// Feeds the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  /// Runs the steps; the first that fails ends the chain.
  public func process(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
    var result = picture
    for step in steps { result = try step.process(result) }
    return result
  }
}
