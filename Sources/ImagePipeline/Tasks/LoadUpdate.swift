import ImageModel
import LoadScheduling

/// The progress of a load: sent to all callers that wait; one that joins later gets the latest
/// first.
struct LoadUpdate: Sendable {
  /// Bytes that are there, those of a resumed beginning included.
  var receivedByteCount = 0
  var expectedByteCount: Int?
  var preview: PixelBuffer?
  /// Counts previews, to distinguish consecutive ones.
  var previewNumber = 0
}

/// The callers that wait for a load, as the stages below see them.
struct LoadWatch: Sendable {
  var priority: LivePriority
  var recorder: LoadRecorder
  var onUpdate: (@Sendable (LoadUpdate) -> Void)?
  /// Whether a caller displays previews now.
  var isWatching: (@Sendable () -> Bool)?
}

extension LoadWatch {
  /// All callers that wait for shared work, for the work below it.
  init(
    of run: SharedRun<LoadUpdate>, recorder: LoadRecorder,
    mapping map: (@Sendable (LoadUpdate) -> LoadUpdate)? = nil
  ) {
    self.init(
      priority: run.priority, recorder: recorder,
      onUpdate: { update in run.send(map?(update) ?? update) }, isWatching: run.isWatched)
  }
}
