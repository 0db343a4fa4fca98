public import ImageModel

/// Turns or mirrors an image as an EXIF orientation specifies.
public struct Orient: ImageProcessing, Hashable {
  /// 1 through 8.
  public let orientation: Int

  /// Creates a step; anything but 1 through 8 counts as 1.
  public init(_ orientation: Int) {
    self.orientation = Orientation(orientation).value
  }

  /// For example `orient(6)`.
  public var identity: String { "orient(\(orientation))" }

  /// Turns the image; 1 returns it unchanged.
  public func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    image.upright(Orientation(orientation))
  }
}

extension ImageProcessing where Self == Orient {
  /// An ``Orient`` by an EXIF orientation, 1 through 8.
  public static func orient(_ orientation: Int) -> Orient { Orient(orientation) }
}
