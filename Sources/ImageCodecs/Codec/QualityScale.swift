/// The quality of a lossy format at which images have the SSIM of a JPEG's quality, from 0 to 100 in
/// steps of 5: medians over photographs. Made by `Benchmarks/thumbnails/encoders --scale`.
struct QualityScale {
  private let steps: [Double]

  subscript(quality: Int) -> Double {
    let index = min(max(quality, 0), 99) / 5
    let (low, high) = (steps[index], steps[index + 1])
    return low + (high - low) * Double(quality - 5 * index) / 5
  }

  /// Of libwebp with effort 3.
  static let webp = QualityScale(steps: [
    0, 0, 0, 6.9, 14.3, 20.4, 26.9, 31.6, 35.0, 39.9, 44.3, 51.3, 59.2, 67.4, 75.2, 77.9, 81.6,
    85.4,
    89.6, 96.0, 100,
  ])

  /// Of libavif with speed 9 and 4:2:0, as 63 less the quantizer.
  static let avif = QualityScale(steps: [
    0, 1.8, 10.7, 16.1, 19.5, 21.9, 24.6, 26.1, 27.3, 28.8, 29.9, 31.7, 33.2, 35.2, 37.0, 38.4,
    41.5,
    45.7,
    51.0, 57.3, 63,
  ])
}
