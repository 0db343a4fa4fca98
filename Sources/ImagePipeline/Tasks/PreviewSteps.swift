import ImageCodecs
import ImageModel

/// Applies a processor to previews, each once.
final class PreviewSteps: Sendable {
  private let step: any ImageProcessing
  private let latest = Locked<(number: Int, preview: PixelBuffer?)>((0, nil))

  init(_ step: any ImageProcessing) {
    self.step = step
  }

  /// The update with its preview processed. A preview that cannot be processed is omitted: the
  /// image's error will state the reason.
  func apply(to update: LoadUpdate) -> LoadUpdate {
    var update = update
    update.preview = latest.withLock { latest in
      if update.previewNumber != latest.number {
        latest = (update.previewNumber, update.preview.flatMap { try? step.process($0) })
      }
      return latest.preview
    }
    return update
  }
}
