import ImageModel

/// Events for a reader of any speed: of progress and of previews only the latest is kept, so that a
/// slow reader costs no memory.
final class EventMailbox: Sendable {
  private struct State {
    var waiting: [ImageEvent] = []
    var isEnded = false
    var reader: CheckedContinuation<ImageEvent?, Never>?
  }
  private let state = Locked(State())

  /// Puts an event in; nothing after the last.
  func put(_ event: ImageEvent) {
    let reader = state.withLock { state -> CheckedContinuation<ImageEvent?, Never>? in
      guard !state.isEnded else { return nil }
      state.isEnded = event.isLast
      if let reader = state.reader {
        state.reader = nil
        return reader
      }
      state.waiting.removeAll { $0.isOvertaken(by: event) }
      state.waiting.append(event)
      return nil
    }
    reader?.resume(returning: event)
  }

  /// Waits for the next event; `nil` after the last, and when the task is cancelled.
  func next() async -> ImageEvent? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (isDone, event) = state.withLock { state -> (Bool, ImageEvent?) in
          if Task.isCancelled { return (true, nil) }
          if !state.waiting.isEmpty { return (true, state.waiting.removeFirst()) }
          if state.isEnded { return (true, nil) }
          state.reader = continuation
          return (false, nil)
        }
        if isDone { continuation.resume(returning: event) }
      }
    } onCancel: {
      let reader = state.withLock { state in
        defer { state.reader = nil }
        return state.reader
      }
      reader?.resume(returning: nil)
    }
  }
}

extension ImageEvent {
  func isOvertaken(by other: ImageEvent) -> Bool {
    switch (self, other) {
    case (.progress, .progress), (.preview, .preview): true
    default: false
    }
  }
}
