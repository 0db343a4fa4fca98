import ImageModel

/// Drawing on an image in place.
extension PixelBuffer {
  /// Creates an image of one colour.
  public init(_ size: PixelSize, filledWith color: PixelColor) {
    self.init(
      size: size,
      overwrittenBy: { (room: UnsafeMutableRawBufferPointer) in
        PixelKernels.fill(room, with: color)
      })
  }

  /// Draws another image over this one; what would lie outside is left out.
  public mutating func draw(_ image: PixelBuffer, left: Int, top: Int) {
    draw(image, left: left, top: top, blends: true)
  }

  /// Draws another image over this one, or in place of it.
  mutating func draw(_ image: PixelBuffer, left: Int, top: Int, blends: Bool) {
    PixelKernels.draw(image, on: &self, left: left, top: top, blends: blends)
  }
}
