public import ImageModel
import TextEncodings

extension ImageLimits {
  /// Checks the size of an image by its header, before anything is allocated for its pixels.
  ///
  /// - Throws: `ImageError` with code `corrupt` for a size without pixels; `limitExceeded` for
  ///   more than `maximumSide` or `maximumPixels`.
  public func check(_ size: PixelSize) throws(ImageError) {
    guard size.width > 0, size.height > 0 else {
      throw ImageError(.corrupt, "an image of \(size) has no pixels")
    }
    try check(size, of: "an image")
  }

  func check(_ size: PixelSize, of subject: String) throws(ImageError) {
    guard max(size.width, size.height) <= maximumSide else {
      throw ImageError(
        .limitExceeded, "\(subject) of \(size) is more than \(maximumSide) pixels a side")
    }
    guard size.pixelCount <= maximumPixels else {
      throw ImageError(
        .limitExceeded, "\(subject) of \(size) is more than the \(maximumPixels) pixels allowed")
    }
  }

  /// Throws where the pixels of an image take more memory than is allowed.
  func checkMemory(of size: PixelSize) throws(ImageError) {
    try checkMemory("\(size) pixels take", size.pixelCount(times: 4))
  }

  /// Throws where a canvas and the copy that disposal needs take more memory than is allowed.
  func checkCanvas(of size: PixelSize) throws(ImageError) {
    try checkMemory("a canvas of \(size) takes", size.pixelCount(times: 8))
  }

  /// Whether a decode may take so many bytes; the largest number means more than can be counted.
  func allowsMemory(_ byteCount: Int) -> Bool {
    byteCount <= maximumMemoryByteCount && byteCount < .max
  }

  private func checkMemory(_ use: String, _ byteCount: Int) throws(ImageError) {
    guard !allowsMemory(byteCount) else { return }
    let bytes = Measure.bytes(byteCount, over: maximumMemoryByteCount)
    throw ImageError(
      .limitExceeded,
      """
      \(use) \(bytes.count) of memory, more than the \(bytes.limit) allowed; raise \
      ImageLimits.maximumMemoryByteCount
      """)
  }
}
