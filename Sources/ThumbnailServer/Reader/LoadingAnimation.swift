import ImageCodecs
public import ImageModel

/// The animation of the notice "loading", on the reader page and in a terminal: twelve dots in a
/// circle that light up one after the other.
public enum LoadingAnimation {
  /// Columns and rows of a frame: twice the 60 points it takes on the page, for screens with two
  /// pixels a point.
  public static let side = 120
  /// The number of frames, and of dots.
  public static let frameCount = 12
  /// How long each frame shows.
  public static let delay = Duration.milliseconds(80)

  /// Draws the frames: white to gray dots on a transparent ground.
  public static func frames() -> [PixelBuffer] { (0..<frameCount).map(frame) }

  /// Returns a PNG of all frames side by side.
  static func strip() throws(ImageError) -> [UInt8] {
    var strip = PixelBuffer(clear: PixelSize(width: side * frameCount, height: side))
    for (index, frame) in frames().enumerated() { strip.draw(frame, left: index * side, top: 0) }
    return try ImageCodecs.encodePNG(strip)
  }

  private static func frame(_ number: Int) -> PixelBuffer {
    let middle = Double(side) / 2
    return PixelBuffer(
      size: PixelSize(width: side, height: side),
      filledBy: { pixels in
        for (dot, hour) in hours.enumerated() {
          // The lit dot is white; the one before it is darker, and so on around the circle.
          let age = (number - dot + frameCount) % frameCount
          let gray = UInt8(255 - age * 14)
          let (x, y) = (middle + hour.x * middle * 0.76, middle + hour.y * middle * 0.76)
          let radius = middle * 0.13
          for row in Int(y - radius)...Int(y + radius + 1) {
            for column in Int(x - radius)...Int(x + radius + 1) {
              let (dx, dy) = (Double(column) + 0.5 - x, Double(row) + 0.5 - y)
              guard dx * dx + dy * dy <= radius * radius else { continue }
              let start = (row * side + column) * 4
              for sample in 0..<3 { pixels[start + sample] = gray }
              pixels[start + 3] = 255
            }
          }
        }
      })
  }

  /// The twelve hours of a clock face of radius 1.
  private static let hours: [(x: Double, y: Double)] = {
    let (half, root) = (0.5, 0.866_025_403_784_438_6)
    let quarter = [(0.0, -1.0), (half, -root), (root, -half)]
    return quarter + quarter.map { (-$0.1, $0.0) } + quarter.map { (-$0.0, -$0.1) }
      + quarter.map { ($0.1, -$0.0) }
  }()
}
