/// A step from one picture to another.
///
/// Decoding has applied EXIF orientation already; a chain then usually crops before it resizes, so
/// that no work is lost on what is cut off.
public protocol ImageProcessing: Sendable {
  /// The step and all its parameters as one word: equal steps have equal ones, and no other step has
  /// the same. It becomes part of cache keys and never changes its meaning.
  var identity: String { get }

  /// Makes the new picture.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for parameters that make no sense for this
  ///   picture, or `limitExceeded`.
  func process(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer
}
