import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A picture on its way through the stages, with what the next ones need to know; a reference, for many may wait
/// for one.
final class MadePicture: Sendable {
  let picture: DecodedPicture
  let source: LoadSource
  let freshness: LoadFreshness
  /// What is known of the original, or of the result where that was on disk.
  let record: CacheRecord
  /// Where the stages were written down: tells who made it from who joined.
  let recorder: LoadRecorder
  /// Whether somebody put it into memory.
  let isInMemory = Atomic(false)

  init(
    _ picture: DecodedPicture, source: LoadSource, freshness: LoadFreshness, record: CacheRecord,
    recorder: LoadRecorder
  ) {
    self.picture = picture
    self.source = source
    self.freshness = freshness
    self.record = record
    self.recorder = recorder
  }

  /// The pixels of loaded bytes.
  convenience init(
    _ pixels: PixelBuffer, of data: DataResponse, freshUntil: Date, recorder: LoadRecorder
  ) {
    self.init(
      DecodedPicture(
        pixels: pixels, format: data.format, originalSize: data.size, frameCount: data.frameCount,
        freshUntil: freshUntil),
      source: data.source, freshness: data.freshness, record: data.record, recorder: recorder)
  }

  /// The same with other pixels, after a step.
  func with(_ pixels: PixelBuffer, recorder: LoadRecorder) -> MadePicture {
    var picture = picture
    picture.pixels = pixels
    return MadePicture(
      picture, source: source, freshness: freshness, record: record, recorder: recorder)
  }

  /// The stages it went through.
  var steps: [LoadStep] { recorder.steps }
  /// Whether the origin lets it be kept.
  var mayBeKept: Bool { !record.isAlwaysStale }
}
