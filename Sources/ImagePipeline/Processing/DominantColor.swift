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
    var sums = [Int: (weight: Int, red: Int, green: Int, blue: Int)]()
    for at in stride(from: 0, to: small.bytes.count, by: 4) {
      let (r, g, b) = (Int(small.bytes[at]), Int(small.bytes[at + 1]), Int(small.bytes[at + 2]))
      let alpha = Int(small.bytes[at + 3])
      let shade = (r >> 4) << 8 | (g >> 4) << 4 | b >> 4
      let old = sums[shade] ?? (0, 0, 0, 0)
      sums[shade] = (
        old.weight + alpha, old.red + r * alpha, old.green + g * alpha, old.blue + b * alpha
      )
    }
    // Equal shades are told apart by their number, so that the answer is always the same.
    let best = sums.max { ($0.value.weight, $1.key) < ($1.value.weight, $0.key) }?.value
    guard let best, best.weight > 0 else { return .black }
    func mean(_ sum: Int) -> UInt8 { UInt8((sum + best.weight / 2) / best.weight) }
    return PixelColor(red: mean(best.red), green: mean(best.green), blue: mean(best.blue))
  }
}
