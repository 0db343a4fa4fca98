/// An ``ImageSlot`` of the main actor, for views: it is set there, and it shows there.
///
/// Setting a request ends the one before; an answer to an old request is never shown after the new
/// one was set. `show` is called once for each change, in order.
@MainActor public final class MainActorImageSlot {
  private let pipeline: ImagePipeline
  private let show: @MainActor (ImageSlot.Content) -> Void
  private var listening: Task<Void, Never>?

  /// The content of the slot now.
  public private(set) var content = ImageSlot.Content.empty
  /// The load in flight or the last that ended; its priority may be changed.
  public private(set) var task: ImageTask?

  /// Creates an empty slot.
  ///
  /// - Parameters:
  ///   - pipeline: Loads the images.
  ///   - show: Draws what it receives.
  public init(
    _ pipeline: ImagePipeline, show: @escaping @MainActor (ImageSlot.Content) -> Void
  ) {
    self.pipeline = pipeline
    self.show = show
  }

  deinit { listening?.cancel() }

  /// Shows the image of a request as soon as it is there, its placeholder until then, or nothing.
  ///
  /// An image in memory is shown before this returns. The request before is cancelled.
  public func set(_ request: ImageRequest?) {
    listening?.cancel()
    (listening, task) = (nil, nil)
    guard let request else { return change(to: .empty) }
    if let response = pipeline.imageInMemory(for: request) {
      return change(to: .image(response))
    }
    let task = pipeline.task(for: request)
    self.task = task
    listening = Task { [weak self] in
      for await event in task.events {
        // What needs no look into the cache is shown already.
        if case .placeholder = event, !request.placeholder.asksCache { continue }
        // A slot that was set again has cancelled this task.
        guard let self, !Task.isCancelled else { return }
        if let content = ImageSlot.content(after: event, content) { change(to: content) }
      }
    }
    let placeholder = request.placeholder.pixels()
    change(to: placeholder.map { .placeholder($0, failure: nil) } ?? .empty)
  }

  /// Shows the image of a URL; see ``set(_:)``.
  public func set(url: String, placeholder: ImagePlaceholder = .none) {
    var request = ImageRequest(url: url)
    request.placeholder = placeholder
    set(request)
  }

  private func change(to content: ImageSlot.Content) {
    self.content = content
    show(content)
  }
}
