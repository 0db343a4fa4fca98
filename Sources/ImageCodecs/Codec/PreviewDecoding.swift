public import ImageModel

/// Decodes an image whose bytes come in pieces, each byte once, for previews.
///
/// One task at a time. After an error it is only released.
public protocol PreviewDecoding: AnyObject {
  /// The progress of the preview: 0 if there is nothing to show yet; each increase justifies a new
  /// preview.
  var stage: Int { get }
  /// Whether no further preview follows: the image is whole, or of a kind that has none.
  var isOver: Bool { get }

  /// Takes more bytes.
  func feed(_ bytes: RawSpan) throws(ImageError)

  /// Returns the image as far as it has come, upright; called where ``stage`` is above 0.
  func image() throws(ImageError) -> PixelBuffer
}
