public import ImageModel

/// An event of a request in progress: first the placeholder, then previews and progress, each
/// preview before the progress of its bytes; one of the last two cases ends the sequence.
public enum ImageEvent: Sendable {
  /// The image to show until the requested one is available.
  case placeholder(PixelBuffer)
  /// Bytes received, including a resumed prefix, and the expected total if the origin specified it.
  case progress(received: Int, expected: Int?)
  /// The image as far as it has come; each is better than the one before.
  case preview(PixelBuffer)
  /// The image.
  case image(ImageResponse)
  /// There is none: an `ImageError` or `CancellationError`, and what to show instead.
  case failure(any Error, placeholder: PixelBuffer?)

  /// Whether nothing comes after it.
  public var isLast: Bool {
    switch self {
    case .image, .failure: true
    case .placeholder, .progress, .preview: false
    }
  }
}
