/// The colour that most of a picture is near to.
public enum DominantColor {
  /// Finds the colour: pixels are sorted into 16 shades a sample, and the fullest shade's mean is it.
  ///
  /// Transparent pixels count as little as they show. A picture of which nothing shows is black.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for a picture without pixels.
  public static func of(_ picture: PixelBuffer) throws(ImageError) -> PixelColor {
    let small = try Resize(PixelSize(width: 64, height: 64), fit: .inside, filter: .area)
      .process(picture)
    // Weight, red, green and blue of each of the 16 x 16 x 16 shades.
    var sums = [SIMD4<Int>](repeating: .zero, count: 4096)
    for at in stride(from: 0, to: small.bytes.count, by: 4) {
      let (r, g, b) = (Int(small.bytes[at]), Int(small.bytes[at + 1]), Int(small.bytes[at + 2]))
      let alpha = Int(small.bytes[at + 3])
      let shade = (r >> 4) << 8 | (g >> 4) << 4 | b >> 4
      sums[shade] &+= SIMD4(1, r, g, b) &* alpha
    }
    // Of equal shades it is always the first, so that the answer is always the same.
    let weight = sums.reduce(0) { max($0, $1.x) }
    guard weight > 0, let best = sums.first(where: { $0.x == weight }) else { return .black }
    func mean(_ sum: Int) -> UInt8 { UInt8((sum + weight / 2) / weight) }
    return PixelColor(red: mean(best.y), green: mean(best.z), blue: mean(best.w))
  }
}
