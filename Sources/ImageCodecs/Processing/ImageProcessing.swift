public import ImageModel

/// A step that makes one image from another.
///
/// Decoding applies the EXIF orientation. A chain usually crops before it resizes, to resize fewer
/// pixels.
public protocol ImageProcessing: Sendable {
  /// The step and all its parameters as one word, equal only for equal steps. It is part of cache
  /// keys, so its meaning never changes.
  var identity: String { get }

  /// Checks the parameters without an image; a pipeline calls it before it loads one. Default: all
  /// are valid.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for parameters that fit no image.
  func check() throws(ImageError)

  /// Returns the new image.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for parameters that do not fit the image,
  ///   or `limitExceeded`.
  func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer
}

extension ImageProcessing {
  /// Throws nothing.
  public func check() throws(ImageError) {}
}

/// Steps that run one after the other; itself a step.
package struct ProcessingChain: ImageProcessing, Hashable {
  package let steps: [any ImageProcessing]
  /// The identities of the steps, each with its length, so that no chain looks like another.
  package let identity: String

  package init(_ steps: [any ImageProcessing] = []) {
    self.steps = steps
    identity =
      steps.isEmpty
      ? "chain()"
      : "chain(" + steps.map { "\($0.identity.utf8.count):\($0.identity)" }.joined() + ")"
  }

  package func prefix(_ count: Int) -> ProcessingChain {
    ProcessingChain(Array(steps.prefix(count)))
  }

  package static func == (one: ProcessingChain, other: ProcessingChain) -> Bool {
    one.identity == other.identity
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(identity) }

  package func check() throws(ImageError) {
    for step in steps { try step.check() }
  }

  package func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    var result = image
    for step in steps { result = try step.process(result) }
    return result
  }
}
