/// Whole pictures through the kernels.
extension PixelBuffer {
  /// Whether every pixel is opaque.
  var isOpaque: Bool { PixelKernels.isOpaque(self) }

  /// A part of the picture, scaled.
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

  /// The picture turned as an EXIF orientation says.
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

  /// The picture in the middle of a larger canvas, or laid on a colour, or both.
  func placed(
    on canvas: PixelSize, left: Int, top: Int, background: PixelColor
  ) -> PixelBuffer {
    if canvas == size, background.alpha == 0 || isOpaque { return self }
    let color = background.bytes
    return PixelBuffer(
      size: canvas,
      overwrittenBy: { (room: UnsafeMutableRawBufferPointer) in
        for at in stride(from: 0, to: room.count, by: 4) {
          for sample in 0..<4 { room[at + sample] = color[sample] }
        }
        bytes.withUnsafeBytes { source in
          for y in 0..<height {
            for x in 0..<width {
              let from = 4 * (y * width + x)
              let to = 4 * ((y + top) * canvas.width + x + left)
              Self.blend(source, from, over: room, to)
            }
          }
        }
      })
  }

  /// Source: Porter and Duff, "Compositing Digital Images", 1984: over, with straight alpha.
  private static func blend(
    _ source: UnsafeRawBufferPointer, _ from: Int, over room: UnsafeMutableRawBufferPointer,
    _ to: Int
  ) {
    let alpha = Int(source[from + 3])
    let under = Int(room[to + 3]) * (255 - alpha)
    let total = alpha * 255 + under
    guard total > 0 else { return }
    for sample in 0..<3 {
      let mixed = Int(source[from + sample]) * alpha * 255 + Int(room[to + sample]) * under
      room[to + sample] = UInt8((mixed + total / 2) / total)
    }
    room[to + 3] = UInt8((total + 127) / 255)
  }
}
