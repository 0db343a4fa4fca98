import ImagePipeline

/// The moving picture of the ``HUD``: twelve dots in a circle, one after the other lighting up. Drawn here,
/// written as a GIF by this project's encoder and read again by its decoder.
public enum LoadingAnimation {
  /// Columns and rows: twice ``HUD/pictureSide``, for screens with two pixels a point.
  public static let side = 120
  /// How many frames, and dots, there are.
  public static let frameCount = 12
  /// How long each frame shows.
  public static let delay = Duration.milliseconds(80)

  /// The frames as they are drawn: white to gray dots on a transparent ground.
  public static var frames: [AnimationFrame] {
    (0..<frameCount).map { AnimationFrame(pixels: picture($0), delay: delay) }
  }

  /// The animation as a GIF that plays for ever.
  public static func gif() throws(ImageError) -> [UInt8] { try ImageCodecs.encodeGIF(frames) }

  /// All frames of a GIF side by side, as the page draws them, with how long each shows.
  ///
  /// - Returns: A PNG as many times as wide as one frame as there are frames, and the delays in
  ///   milliseconds as browsers keep them.
  public static func strip(
    of gif: [UInt8]
  ) throws(ImageError) -> (png: [UInt8], delays: [Int], frameSize: PixelSize) {
    let reader = try FrameReader(gif.span.bytes)
    var frames: [AnimationFrame] = []
    while let frame = try reader.next(of: gif.span.bytes) { frames.append(frame) }
    let (size, count) = (reader.info.size, frames.count)
    let stripe = PixelBuffer(
      size: PixelSize(width: size.width * count, height: size.height),
      filledBy: { room in
        for (index, frame) in frames.enumerated() {
          frame.pixels.bytes.withUnsafeBytes { pixels in
            for row in 0..<size.height {
              let from = UnsafeRawBufferPointer(
                rebasing: pixels[row * size.width * 4..<(row + 1) * size.width * 4])
              let start = (row * count + index) * size.width * 4
              UnsafeMutableRawBufferPointer(rebasing: room[start..<start + size.width * 4])
                .copyMemory(from: from)
            }
          }
        }
      })
    let delays = frames.map {
      Int((ImageInfo.shownDelay(for: $0.delay) / .milliseconds(1)).rounded())
    }
    return (try ImageCodecs.encodePNG(stripe), delays, size)
  }

  private static func picture(_ number: Int) -> PixelBuffer {
    let middle = Double(side) / 2
    return PixelBuffer(
      size: PixelSize(width: side, height: side),
      filledBy: { room in
        for (dot, place) in places.enumerated() {
          // The dot that is lit is white; the one before it darker, and so on round the circle.
          let age = (number - dot + frameCount) % frameCount
          let gray = UInt8(255 - age * 14)
          let (x, y) = (middle + place.x * middle * 0.76, middle + place.y * middle * 0.76)
          let radius = middle * 0.13
          for row in Int(y - radius)...Int(y + radius + 1) {
            for column in Int(x - radius)...Int(x + radius + 1) {
              let (dx, dy) = (Double(column) + 0.5 - x, Double(row) + 0.5 - y)
              guard dx * dx + dy * dy <= radius * radius else { continue }
              let start = (row * side + column) * 4
              for sample in 0..<3 { room[start + sample] = gray }
              room[start + 3] = 255
            }
          }
        }
      })
  }

  /// The twelve hours of a clock face of radius 1.
  private static let places: [(x: Double, y: Double)] = {
    let (half, root) = (0.5, 0.866_025_403_784_438_6)
    let quarter = [(0.0, -1.0), (half, -root), (root, -half)]
    return quarter + quarter.map { (-$0.1, $0.0) } + quarter.map { (-$0.0, -$0.1) }
      + quarter.map { ($0.1, -$0.0) }
  }()
}
