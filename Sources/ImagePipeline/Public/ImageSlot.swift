public import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

/// A slot that shows one image at a time, such as a cell of a list that is reused.
///
/// Setting a request ends the one before, and nothing of an old request is shown once `set` has
/// returned. Every change is handed to `show`, one at a time and in order; `show` may set the slot
/// again.
public final class ImageSlot: Sendable {
  /// The content of the slot.
  public enum Content: Sendable {
    /// Nothing.
    case empty
    /// The placeholder, of the request or of its failure.
    case placeholder(PixelBuffer, failure: (any Error)?)
    /// A preview.
    case preview(PixelBuffer)
    /// The image.
    case image(ImageResponse)

    /// The pixels to draw; `nil` for nothing.
    public var pixels: PixelBuffer? {
      switch self {
      case .empty: nil
      case .placeholder(let pixels, _), .preview(let pixels): pixels
      case .image(let response): response.image
      }
    }
  }

  private struct State {
    var generation = 0
    var content = Content.empty
    var waiting: [Content] = []
    var showing: pthread_t?
    var task: ImageTask?
    var listening: Task<Void, Never>?
  }
  private let pipeline: ImagePipeline
  private let show: @Sendable (Content) -> Void
  private let state = Locked(State())
  /// Held while contents are shown; never waited for with the lock of the state.
  private let delivery = Locked(())

  /// Makes an empty slot.
  ///
  /// - Parameters:
  ///   - pipeline: Loads the images.
  ///   - show: Draws the given content; must be callable on any thread. It must not wait for another
  ///     thread that sets the slot, because that waits for `show`.
  public init(_ pipeline: ImagePipeline, show: @escaping @Sendable (Content) -> Void) {
    self.pipeline = pipeline
    self.show = show
  }

  deinit { state.withLock { $0.listening?.cancel() } }

  /// The content of the slot now.
  public var content: Content { state.withLock { $0.content } }
  /// The load under way or just ended; its priority may be changed.
  public var task: ImageTask? { state.withLock { $0.task } }

  /// Shows the image of a request once it has loaded, its placeholder until then, or nothing.
  ///
  /// The image if it is in memory, else the placeholder or nothing, is shown before this returns;
  /// after a call by `show` itself, when `show` returns. The request before is cancelled.
  public func set(_ request: ImageRequest?) {
    guard let request else {
      _ = restart(showing: .empty)
      return
    }
    if let response = pipeline.imageInMemory(for: request) {
      _ = restart(showing: .image(response))
      return
    }
    let first =
      request.placeholder.pixels().map { Content.placeholder($0, failure: nil) } ?? .empty
    let generation = restart(showing: first)
    let task = pipeline.task(for: request)
    let listening = Task { [weak self] in
      for await event in task.events {
        // What needs no look into the cache is shown already.
        if case .placeholder = event, !request.placeholder.asksCache { continue }
        guard let self, apply(event, generation) else { return }
      }
    }
    let isOvertaken = state.withLock { state in
      guard state.generation == generation else { return true }
      (state.task, state.listening) = (task, listening)
      return false
    }
    if isOvertaken { listening.cancel() }
  }

  /// Shows the image of a URL; see ``set(_:)``.
  public func set(url: String, placeholder: ImagePlaceholder = .none) {
    var request = ImageRequest(url: url)
    request.placeholder = placeholder
    set(request)
  }

  private func restart(showing content: Content) -> Int {
    let (generation, task, listening) = state.withLock { state in
      defer { (state.task, state.listening) = (nil, nil) }
      state.generation += 1
      // What waits to be shown belongs to the request before.
      state.waiting = [content]
      state.content = content
      return (state.generation, state.task, state.listening)
    }
    listening?.cancel()
    task?.cancel()
    showWaiting()
    return generation
  }

  /// Applies an event. Returns whether it belonged to the current load.
  private func apply(_ event: ImageEvent, _ generation: Int) -> Bool {
    let isCurrent = state.withLock { state in
      guard state.generation == generation else { return false }
      guard let content = Self.content(after: event, state.content) else { return true }
      state.content = content
      state.waiting.append(content)
      return true
    }
    if isCurrent { showWaiting() }
    return isCurrent
  }

  static func content(after event: ImageEvent, _ content: Content) -> Content? {
    switch event {
    case .progress: nil
    case .placeholder(let pixels): .placeholder(pixels, failure: nil)
    case .preview(let pixels): .preview(pixels)
    case .image(let response): .image(response)
    case .failure(let error, let pixels?): .placeholder(pixels, failure: error)
    case .failure(let error, nil):
      content.pixels.map { .placeholder($0, failure: error) } ?? .empty
    }
  }

  /// Shows what waits, and returns when all of it was shown, by this thread or another one. In `show`
  /// it is left to the caller of `show`.
  private func showWaiting() {
    let thread = pthread_self()
    guard state.withLock({ $0.showing != thread }) else { return }
    delivery.withLock { _ in
      while let next = state.withLock({ state in
        state.showing = state.waiting.isEmpty ? nil : thread
        return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      }) {
        show(next)
      }
    }
  }
}
