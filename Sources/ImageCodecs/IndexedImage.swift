import CImagePalette
package import ImageModel

package struct IndexedImage: Sendable, Hashable {
  /// The number of a pixel that is not to be seen: its alpha was under 128.
  package static let transparent: UInt8 = 255

  package let size: PixelSize
  /// The colours, all opaque; empty if no pixel is visible.
  package let palette: [PixelColor]
  /// For each pixel, row after row, the number of its colour, or ``transparent``.
  package let indices: [UInt8]

  /// Finds the palette closest to an image. An image of as few colours keeps each exactly.
  ///
  /// - Parameter limit: The most colours there may be, 1 through 255.
  /// - Throws: `ImageError` with code `invalidArgument` for an image without pixels or a limit
  ///   out of range.
  package init(reducing image: PixelBuffer, to limit: Int = 255) throws(ImageError) {
    var reduced = imgc_reduced()
    var indices = [UInt8](repeating: 0, count: image.size.pixelCount)
    try CodecBridge.call("palette") { error in
      CodecBridge.withImage(image) { image in
        indices.withUnsafeMutableBufferPointer { room in
          guard let base = room.baseAddress else { return .argument }
          return imgc_reduce(image, UInt32(clamping: limit), &reduced, base, &error)
        }
      }
    }
    size = image.size
    self.indices = indices
    palette = withUnsafeBytes(of: reduced.palette) { raw in
      (0..<Int(reduced.count)).map {
        PixelColor(red: raw[4 * $0], green: raw[4 * $0 + 1], blue: raw[4 * $0 + 2])
      }
    }
  }
}
