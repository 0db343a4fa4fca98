import ImagePipeline

/// An answer whose body is on its way: to clients and, where it is kept, into the store.
struct PassingAnswer: Sendable {
  let relay: BodyRelay
  /// What it is stored as; `nil` when it is only passed on.
  var kept: StoredResponse?
  var staged: (any StagedResponse)?
  /// The length of its body, as announced.
  var byteCount: Int?

  /// Takes bytes of the body.
  ///
  /// The last ones, where the length says which they are, are not shown to clients before the answer is stored: a
  /// client that asks again finds it.
  func take(_ bytes: [UInt8]) async throws {
    if kept != nil, let byteCount, relay.byteCount + bytes.count == byteCount {
      try await relay.append(last: bytes)
    } else {
      try await relay.append(bytes)
    }
  }

  /// Takes the beginning from a stored part.
  func copy(_ body: any StoredBody, count: Int) async throws {
    var offset = 0
    while offset < count {
      let bytes = try body.read(at: offset, count: min(1 << 16, count - offset))
      guard !bytes.isEmpty else { throw BodyRelay.Broken() }
      try await relay.append(bytes)
      offset += bytes.count
    }
  }

  /// Stores what came whole, then lets the clients see the end.
  func end(isComplete: Bool, _ services: ProxyServices, _ url: String, isOutdated: Bool) {
    if isComplete, !isOutdated, let kept, let staged, relay.isStored, isWhole(kept) {
      do {
        try staged.commit(kept, for: url)
      } catch {
        services.log("\(url) is not kept: \(error)")
      }
    }
    relay.finish(isComplete: isComplete)
  }

  /// Whether so many bytes came as the head promised.
  private func isWhole(_ kept: StoredResponse) -> Bool {
    let count = relay.stagedByteCount
    if let promised = kept.partByteCount { return count == promised }
    return byteCount.map { $0 == count } ?? true
  }
}
