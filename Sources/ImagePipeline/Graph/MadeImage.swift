import DiskCaching
import ImageModel
import Synchronization

/// An original, or what was made of it, on its way to the callers.
protocol LoadedOriginal: Sendable {
  /// The record of the original, or of the result if that was on disk.
  var record: CacheRecord { get }
  var source: LoadSource { get }
  var freshness: LoadFreshness { get }
  var cost: TransferMeter.Reading { get }
  var storeFailure: ImageError? { get }
}

/// A decoded image on its way through the stages, with the data that later stages need; a
/// reference, because many callers may wait for one.
final class MadeImage: LoadedOriginal {
  let decoded: DecodedImage
  let source: LoadSource
  let freshness: LoadFreshness
  let record: CacheRecord
  let cost: TransferMeter.Reading
  let storeFailure: ImageError?
  /// The recorder of its stages: distinguishes the caller that started them from those that joined.
  let recorder: LoadRecorder
  let isInMemory = Atomic(false)

  init(_ image: DecodedImage, of loaded: some LoadedOriginal, _ recorder: LoadRecorder) {
    decoded = image
    source = loaded.source
    freshness = loaded.freshness
    record = loaded.record
    cost = loaded.cost
    storeFailure = loaded.storeFailure
    self.recorder = recorder
  }

  var isStorable: Bool { !record.isAlwaysStale }
}
