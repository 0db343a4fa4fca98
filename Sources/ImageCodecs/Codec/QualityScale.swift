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
}
