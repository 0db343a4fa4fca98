import CImageKernels

/// The one door to `CImageKernels`: loops over pixels that are too hot for Swift.
enum PixelKernels {
  /// Whether every pixel has alpha 255.
  static func isOpaque(_ pixels: PixelBuffer) -> Bool {
    pixels.bytes.withUnsafeBufferPointer { raw in
      guard let base = raw.baseAddress else { return true }
      return imgk_is_opaque(base, pixels.size.pixelCount)
    }
  }

  /// Puts stored rows where they belong in an upright picture.
  ///
  /// - Parameters:
  ///   - rows: `count` rows of the stored picture, without padding, beginning with row `first`.
  ///   - upright: The whole upright picture, without padding.
  ///   - size: Of the stored picture.
  static func orient(
    _ rows: UnsafeRawBufferPointer, first: Int, count: Int, of size: PixelSize, orientation: Int,
    into upright: UnsafeMutableRawBufferPointer
  ) {
    let uprightWidth = orientation >= 5 ? size.height : size.width
    guard count > 0, rows.count >= count * size.width * 4, first + count <= size.height,
      upright.count >= size.pixelCount * 4,
      let from = rows.baseAddress, let to = upright.baseAddress
    else { return }
    imgk_orient_rows(
      to.assumingMemoryBound(to: UInt8.self), uprightWidth * 4,
      from.assumingMemoryBound(to: UInt8.self), size.width * 4, UInt32(size.width),
      UInt32(size.height), UInt32(first), UInt32(count), UInt32(orientation))
  }
}
