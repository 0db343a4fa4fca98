/// The elements of a stream for as long as a client is there.
struct WhilePresent<Element: Sendable>: AsyncSequence {
  private let stream: AsyncStream<Element>
  private let presence: ClientPresence?

  init(_ stream: AsyncStream<Element>, of presence: ClientPresence?) {
    self.stream = stream
    self.presence = presence
  }

  func makeAsyncIterator() -> AsyncStream<Element>.Iterator {
    let (merged, continuation) = AsyncStream.makeStream(of: Element.self)
    let pump = Task { [stream] in
      for await element in stream { continuation.yield(element) }
      continuation.finish()
    }
    let id = presence?.listen { pump.cancel() }
    continuation.onTermination = { [presence] _ in
      pump.cancel()
      if let id { presence?.forget(id) }
    }
    return merged.makeAsyncIterator()
  }
}
