/// Drawing on a picture in place, for what is put together from several.
extension PixelBuffer {
  /// A picture of one colour.
  package init(_ size: PixelSize, filledWith color: PixelColor) {
    self.init(
      size: size,
      overwrittenBy: { (room: UnsafeMutableRawBufferPointer) in
        PixelKernels.fill(room, with: color)
      })
  }

  /// Draws another picture on this one; what would lie outside is left out.
  package mutating func draw(_ picture: PixelBuffer, left: Int, top: Int) {
    PixelKernels.draw(picture, on: &self, left: left, top: top, blends: true)
  }

  /// Writes a line of letters in ``DotFont``; what would lie outside is left out.
  ///
  /// - Parameters:
  ///   - left: Where the first letter begins.
  ///   - top: Where capitals begin.
  ///   - dot: Pixels a side of each dot.
  package mutating func write(
    _ text: some StringProtocol, left: Int, top: Int, dot: Int = 1, color: PixelColor
  ) {
    let size = size
    let samples = color.bytes
    withMutableBytes { room in
      for (place, scalar) in text.unicodeScalars.enumerated() {
        let start = left + place * DotFont.advance * dot
        for (row, bits) in DotFont.rows(of: scalar).enumerated() {
          for column in 0..<5 where bits >> (4 - column) & 1 == 1 {
            for offset in 0..<dot * dot {
              let x = start + column * dot + offset % dot
              let y = top + row * dot + offset / dot
              guard x >= 0, y >= 0, x < size.width, y < size.height else { continue }
              room.baseAddress?.advanced(by: 4 * (y * size.width + x))
                .copyMemory(from: samples, byteCount: 4)
            }
          }
        }
      }
    }
  }
}
