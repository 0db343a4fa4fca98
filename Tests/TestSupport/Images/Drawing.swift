import ImageCodecs
import ImageModel

/// A drawing of filled shapes on a vertical gradient; later shapes cover earlier ones.
struct Drawing: Sendable {
  enum Shape: Sendable {
    case ellipse(x: Double, y: Double, across: Double, down: Double, PixelColor)
    /// Corners in order, convex or not.
    case polygon([SIMD2<Double>], PixelColor)

    static func rectangle(
      _ left: Double, _ top: Double, _ width: Double, _ height: Double, _ color: PixelColor
    ) -> Shape {
      .polygon(
        [
          SIMD2(left, top), SIMD2(left + width, top), SIMD2(left + width, top + height),
          SIMD2(left, top + height),
        ], color)
    }

    /// The colour of this shape at a point, if it covers the point.
    func color(at point: SIMD2<Double>) -> PixelColor? {
      switch self {
      case .ellipse(let x, let y, let across, let down, let color):
        let offset = (point - SIMD2(x, y)) / SIMD2(across, down)
        return (offset * offset).sum() <= 1 ? color : nil
      case .polygon(let corners, let color):
        var isInside = false
        var last = corners[corners.count - 1]
        for corner in corners {
          let slope = (last.x - corner.x) / (last.y - corner.y)
          if (corner.y > point.y) != (last.y > point.y),
            point.x < corner.x + (point.y - corner.y) * slope
          {
            isInside.toggle()
          }
          last = corner
        }
        return isInside ? color : nil
      }
    }
  }

  var size: PixelSize
  var upper, lower: PixelColor
  var shapes: [Shape]

  func rendered() -> PixelBuffer {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * size.pixelCount)
    for y in 0..<size.height {
      for x in 0..<size.width {
        var sum = SIMD3<Double>()
        for part in 0..<4 {
          let across = Double(x) + Double(2 * (part % 2) + 1) / 4
          let down = Double(y) + Double(2 * (part / 2) + 1) / 4
          sum += color(at: SIMD2(across, down))
        }
        for channel in 0..<3 { bytes.append(UInt8((sum[channel] / 4).rounded())) }
        bytes.append(255)
      }
    }
    return PixelBuffer(size: size, bytes: bytes)
  }

  private func color(at point: SIMD2<Double>) -> SIMD3<Double> {
    for shape in shapes.reversed() {
      if let color = shape.color(at: point) { return Self.samples(color) }
    }
    let share = point.y / Double(size.height)
    return Self.samples(upper) * (1 - share) + Self.samples(lower) * share
  }

  private static func samples(_ color: PixelColor) -> SIMD3<Double> {
    SIMD3(Double(color.red), Double(color.green), Double(color.blue))
  }
}
