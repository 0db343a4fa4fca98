import ImageModel

/// What happens to a request on its way: first the placeholder, then previews and progress, each
/// preview before the progress of its bytes; one of the last two is the last.
public enum ImageEvent: Sendable {
  /// What to show until the image comes.
  case placeholder(PixelBuffer)
  /// Bytes that are there, those of a resumed beginning included, and bytes that there will be
  /// where the origin said.
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
