@testable import ImageCodecs
@testable import ImageModel

/// Counts its work.
final class CountingStep: ImageProcessing {
  let name: String
  private let counted = Locked(0)

  init(_ name: String) { self.name = name }

  var count: Int { counted.withLock { $0 } }
  var identity: String { "counting(\(name))" }

  func process(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
    counted.withLock { $0 += 1 }
    return picture
  }
}
