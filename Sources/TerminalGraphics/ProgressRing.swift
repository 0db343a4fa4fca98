public import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

/// A ring that fills clockwise from the bottom, as pixels: gray, with a white arc.
public enum ProgressRing {
  /// Draws the ring, filled by a share of 0 through 1; it touches the edges of the image.
  public static func image(share: Double, side: Int, lineWidth: Double = 2) -> PixelBuffer {
    let size = PixelSize(width: side, height: side)
    let middle = Double(side) / 2
    let radius = middle - lineWidth / 2
    return PixelBuffer(
      size: size,
      filledBy: { (pixels: UnsafeMutableRawBufferPointer) in
        for y in 0..<side {
          for x in 0..<side {
            let (dx, dy) = (Double(x) + 0.5 - middle, Double(y) + 0.5 - middle)
            let distance = (dx * dx + dy * dy).squareRoot()
            let cover = min(1, max(0, lineWidth / 2 + 0.5 - abs(distance - radius)))
            guard cover > 0 else { continue }
            let isFilled = turn(dx, dy) < share
            let at = 4 * (y * side + x)
            for channel in 0..<3 { pixels[at + channel] = isFilled ? 255 : 110 }
            pixels[at + 3] = UInt8((255 * cover).rounded())
          }
        }
      })
  }

  /// Returns how far around a point is, 0 through 1: clockwise from the bottom, so to the left
  /// first.
  static func turn(_ dx: Double, _ dy: Double) -> Double {
    let share = atan2(-dx, dy) / (2 * .pi)
    return share < 0 ? share + 1 : share
  }
}
