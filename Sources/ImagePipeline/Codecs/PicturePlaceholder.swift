/// What can be shown before a picture comes: kept with its cache record.
public struct PicturePlaceholder: Sendable, Hashable {
  /// The picture in some twenty bytes.
  public let thumbHash: ThumbHash
  /// The colour that most of it is near to.
  public let dominantColor: PixelColor

  /// The size that is looked at: more would cost more and show no more.
  static let box = PixelSize(width: 32, height: 32)

  /// Makes the placeholder of a picture of any size.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for a picture without pixels.
  public init(of picture: PixelBuffer) throws(ImageError) {
    let small = try Resize(Self.box, fit: .inside, filter: .area).process(picture)
    thumbHash = try ThumbHash(of: small)
    dominantColor = try DominantColor.of(small)
  }
}
