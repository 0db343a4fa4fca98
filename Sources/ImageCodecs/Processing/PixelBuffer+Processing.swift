public import ImageModel

/// Whole images through the kernels, and drawing on an image in place.
extension PixelBuffer {
  package var isOpaque: Bool { PixelKernels.isOpaque(self) }

  func resampled(
    _ region: PixelRect, to target: PixelSize, filter: ResamplingFilter, isPortable: Bool = false
  ) throws(ImageError) -> PixelBuffer {
    let resampler = try Resampler(
      source: size, region: region, target: target, filter: filter, hasAlpha: !isOpaque,
      isPortable: isPortable)
    return PixelBuffer(
      size: target,
      overwrittenBy: { (room: UnsafeMutableRawBufferPointer) in
        bytes.withUnsafeBytes { resampler.feed($0, count: height, width: width, into: room) }
      })
  }

  /// The image turned as an EXIF orientation specifies.
  func upright(_ orientation: Orientation) -> PixelBuffer {
    guard orientation.value != 1 else { return self }
    return PixelBuffer(
      size: orientation.turned(size),
      overwrittenBy: { (room: UnsafeMutableRawBufferPointer) in
        bytes.withUnsafeBytes {
          PixelKernels.orient(
            $0, first: 0, count: height, of: size, orientation: orientation.value, into: room)
        }
      })
  }

  /// The image in the middle of a larger canvas, or laid on a colour, or both.
  func placed(
    on canvas: PixelSize, left: Int, top: Int, background: PixelColor
  ) -> PixelBuffer {
    if canvas == size, background.alpha == 0 || isOpaque { return self }
    var result = PixelBuffer(canvas, filledWith: background)
    PixelKernels.draw(self, on: &result, left: left, top: top, blends: true)
    return result
  }

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

  mutating func draw(_ image: PixelBuffer, left: Int, top: Int, blends: Bool) {
    PixelKernels.draw(image, on: &self, left: left, top: top, blends: blends)
  }
}
