import ImageCodecs
import ImageModel

extension PixelBuffer {
  /// Writes a line of letters in ``DotFont``; what would lie outside is left out.
  ///
  /// - Parameters:
  ///   - left: Where the first letter begins.
  ///   - top: Where capitals begin.
  ///   - dot: Pixels a side of each dot.
  public mutating func write(
    _ text: some StringProtocol, left: Int, top: Int, dot: Int = 1, color: PixelColor
  ) {
    let size = size
    let samples = [color.red, color.green, color.blue, color.alpha]
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
