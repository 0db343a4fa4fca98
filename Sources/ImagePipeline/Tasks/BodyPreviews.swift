import CachePolicies
import ImageCodecs
import ImageFetching
import ImageModel

/// Turns a growing body into progress and previews.
///
/// A preview is made only while a caller listens. One that listens late gets the body from its
/// beginning. Previews are shown and forgotten: none is ever stored.
struct BodyPreviews: BodyWatching {
  private struct State {
    var decoder: ProgressivePreviews?
    var position = 0
    var update = LoadUpdate()
  }
  let run: SharedRun<LoadUpdate>
  let interval: Duration
  let limits: ImageLimits
  var reservation: MemoryGovernor.Reservation?
  /// Of a clock that never runs back.
  let now: @Sendable () -> Duration
  private let state = Locked(State())

  /// The bytes received so far, a resumed prefix included, and the length if it is known.
  var progress: (receivedByteCount: Int, expectedByteCount: Int?) {
    state.withLock { ($0.update.receivedByteCount, $0.update.expectedByteCount) }
  }

  func began(expectedByteCount: Int?) {
    state.withLock { state in
      state.decoder = nil
      state.position = 0
      state.update.expectedByteCount = expectedByteCount
    }
  }

  func grew(to receivedByteCount: Int, bytes: (Int) -> [UInt8]) {
    let time = now()
    reservation?.setByteCount(receivedByteCount)
    let position = state.withLock { $0.position }
    let new = run.isWatched() && position < receivedByteCount ? bytes(position) : []
    let update = state.withLock { state in
      state.update.receivedByteCount = receivedByteCount
      if !new.isEmpty {
        if state.decoder == nil {
          state.decoder = ProgressivePreviews(interval: interval, limits: limits)
        }
        state.position += new.count
        if let preview = state.decoder?.append(new.span.bytes, at: time) {
          state.update.preview = preview
          state.update.previewNumber += 1
        }
      }
      return state.update
    }
    run.send(update)
  }
}
