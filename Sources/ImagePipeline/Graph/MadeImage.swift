import DiskCaching
import ImageModel
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A decoded image on its way through the stages, with the data that later stages need; a
/// reference, because many callers may wait for one.
final class MadeImage: Sendable {
  let decoded: DecodedImage
  let source: LoadSource
  let freshness: LoadFreshness
  /// The record of the original, or of the result if that was on disk.
  let record: CacheRecord
  /// The cost of the original.
  let cost: TransferMeter.Reading
  /// The reason why the original could not be stored.
  let storeFailure: ImageError?
  /// The recorder of its stages: distinguishes the caller that started them from those that joined.
  let recorder: LoadRecorder
  /// Whether it was inserted into memory.
  let isInMemory = Atomic(false)

  init(
    _ image: DecodedImage, source: LoadSource, freshness: LoadFreshness, record: CacheRecord,
    cost: TransferMeter.Reading = TransferMeter.Reading(), storeFailure: ImageError? = nil,
    recorder: LoadRecorder
  ) {
    self.decoded = image
    self.source = source
    self.freshness = freshness
    self.record = record
    self.cost = cost
    self.storeFailure = storeFailure
    self.recorder = recorder
  }

  /// The same with other pixels, after a step.
  func with(_ pixels: PixelBuffer, recorder: LoadRecorder) -> MadeImage {
    var image = decoded
    image.pixels = pixels
    return MadeImage(
      image, source: source, freshness: freshness, record: record, cost: cost,
      storeFailure: storeFailure, recorder: recorder)
  }

  /// Its stages.
  var steps: [LoadStep] { recorder.steps }
  /// Whether the origin allows storing it.
  var isStorable: Bool { !record.isAlwaysStale }
}
