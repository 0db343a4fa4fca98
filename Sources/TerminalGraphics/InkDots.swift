import ImagePipeline

/// An image in one color: the pixels that are ink.
///
/// Source: Floyd and Steinberg, "An Adaptive Algorithm for Spatial Greyscale", 1976.
struct InkDots {
  private let size: PixelSize
  private var dots: [Bool]

  /// - Parameters:
  ///   - image: An image whose pixels are opaque or transparent; transparent ones get no ink.
  ///   - isInkDark: Whether dark pixels are ink, as on paper, rather than light ones.
  init(_ image: PixelBuffer, isInkDark: Bool) {
    size = image.size
    dots = Array(repeating: false, count: size.pixelCount)
    var errors = Array(repeating: 0, count: size.width + 2)
    for y in 0..<size.height {
      var next = Array(repeating: 0, count: size.width + 2)
      for x in 0..<size.width {
        let at = 4 * (y * size.width + x)
        guard image.bytes[at + 3] != 0 else { continue }
        let light = PixelBuffer.light(
          image.bytes[at], image.bytes[at + 1], image.bytes[at + 2])
        let wanted = (isInkDark ? 255 - light : light) + errors[x + 1] / 16
        let isInk = wanted > 127
        dots[y * size.width + x] = isInk
        let error = wanted - (isInk ? 255 : 0)
        errors[x + 2] += 7 * error
        next[x] += 3 * error
        next[x + 1] += 5 * error
        next[x + 2] += error
      }
      errors = next
    }
  }

  /// Whether a pixel is ink; below the last row there is none.
  subscript(column: Int, row: Int) -> Bool {
    row < size.height && dots[row * size.width + column]
  }
}
