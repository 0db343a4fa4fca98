@testable import ImageCodecs
@testable import ImageModel

/// Counts its work, and may be held at a gate.
final class CountingStep: ImageProcessing {
  let name: String
  private let counted = Locked(0)
  private let failure: ImageError?

  init(_ name: String, failingWith failure: ImageError? = nil) {
    self.name = name
    self.failure = failure
  }

  var count: Int { counted.withLock { $0 } }
  var identity: String { "counting(\(name))" }

  func process(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
    counted.withLock { $0 += 1 }
    if let failure { throw failure }
    return picture
  }
}
