import ImageModel
public import LoadScheduling

extension ImagePipeline {
  /// Starts to load an image and returns at once; the handle reports progress.
  ///
  /// The load ends with the handle: keep it, or its events, for as long as the image is wanted.
  public func task(for request: ImageRequest) -> ImageTask {
    ImageTask(request, pipeline: self)
  }

  /// Starts to load an image and returns what happens on the way: the placeholder at once, then
  /// progress and previews, then the image or the failure as the last. A later iteration begins
  /// with the latest of each.
  ///
  /// The load ends when the sequence and its iterators are released.
  public func events(for request: ImageRequest) -> ImageEvents {
    ImageEvents(task(for: request))
  }
}

/// A load in progress: its priority can be changed, it can be cancelled, and it reports events.
///
/// The load ends when the handle is released.
public final class ImageTask: Sendable {
  /// The request.
  public let request: ImageRequest
  private let live: LivePriority
  private let progress: Progress
  private let work: Task<Void, Never>

  init(_ request: ImageRequest, pipeline: ImagePipeline) {
    self.request = request
    let (live, progress) = (LivePriority(request.priority), Progress())
    (self.live, self.progress) = (live, progress)
    if let response = pipeline.imageInMemory(for: request) {
      progress.tell(.image(response))
      work = Task {}
      return
    }
    work = Task {
      let placeholder = await pipeline.graph.placeholder(for: request)
      if let placeholder { progress.tell(.placeholder(placeholder)) }
      do {
        let response = try await pipeline.image(for: request, priority: live) { update in
          progress.tell(update)
        }
        progress.tell(.image(response))
      } catch {
        progress.tell(.failure(error, placeholder: request.failureImage ?? placeholder))
      }
    }
  }

  deinit { work.cancel() }

  /// The urgency; may be changed during the load.
  public var priority: LoadPriority {
    get { live.value }
    set { live.value = newValue }
  }

  /// The events; see `ImagePipeline.events(for:)`.
  public var events: ImageEvents { ImageEvents(self) }

  /// The image, once it has loaded.
  ///
  /// - Throws: `ImageError`; `CancellationError` when this load, or the waiting task, was
  ///   cancelled.
  public var response: ImageResponse {
    get async throws {
      for await event in events {
        switch event {
        case .image(let response): return response
        case .failure(let error, _): throw error
        case .placeholder, .progress, .preview: continue
        }
      }
      throw CancellationError()
    }
  }

  /// Ends the load, unless it has ended. Other requests for the same image continue.
  public func cancel() { work.cancel() }

  func subscribe() -> EventMailbox { progress.subscribe() }
}

extension ImageTask {
  private final class Progress: Sendable {
    private struct State {
      /// The latest of each kind; once it has ended, the last alone.
      var kept: [ImageEvent] = []
      var previewNumber = 0
      var listeners: [WeakMailbox] = []
      var hasEnded: Bool { kept.last?.isLast ?? false }
    }
    private let state = Locked(State())

    /// Told in one order to all: mailboxes are filled under the lock, which is never held for long.
    func tell(_ event: ImageEvent) {
      state.withLock { Self.tell(event, &$0) }
    }

    /// The preview first, so that it is delivered before the count of the bytes it shows.
    func tell(_ update: LoadUpdate) {
      state.withLock { state in
        if let preview = update.preview, update.previewNumber != state.previewNumber {
          state.previewNumber = update.previewNumber
          Self.tell(.preview(preview), &state)
        }
        Self.tell(
          .progress(received: update.receivedByteCount, expected: update.expectedByteCount), &state)
      }
    }

    func subscribe() -> EventMailbox {
      let mailbox = EventMailbox()
      state.withLock { state in
        for event in state.kept { mailbox.put(event) }
        if !state.hasEnded { state.listeners.append(WeakMailbox(mailbox: mailbox)) }
      }
      return mailbox
    }

    private static func tell(_ event: ImageEvent, _ state: inout State) {
      guard !state.hasEnded else { return }
      state.kept.removeAll { $0.isOvertaken(by: event) }
      state.kept.append(event)
      state.listeners.removeAll { $0.mailbox == nil }
      for listener in state.listeners { listener.mailbox?.put(event) }
      // What a late listener still needs is the ending alone.
      if event.isLast { (state.kept, state.listeners) = ([event], []) }
    }
  }

  private struct WeakMailbox: Sendable {
    weak let mailbox: EventMailbox?
  }
}
