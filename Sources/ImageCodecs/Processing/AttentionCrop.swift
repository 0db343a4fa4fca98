import ImageModel

/// Finds the part of an image that is most worth keeping when it is cropped.
///
/// The crop is where edges, saturated colours, skin and colours unlike the rest of the image are,
/// weighed by their distance from the middle of the crop. An image without any of these is cropped
/// in the middle. Equal pixels give equal crops on every machine.
enum AttentionCrop {
  /// Returns where the part begins.
  ///
  /// - Parameters:
  ///   - size: The size of the part; a side longer than that of the image is shortened to it.
  ///   - image: The image at the scale of the result.
  /// - Complexity: O(*w* · *h*) in the sides of the image up to 512 pixels a side, and constant
  ///   above.
  static func offset(of size: PixelSize, in image: PixelBuffer) -> (left: Int, top: Int) {
    PixelKernels.attention(of: size, in: image)
  }
}
