import ImageModel

/// The costs of the loads of originals: the sum of those that have ended, the meters of those in
/// flight.
final class LoadCosts: Sendable {
  private struct State {
    var ended = ImagePipeline.Totals()
    var running: [ObjectIdentifier: (meter: TransferMeter, body: BodyPreviews)] = [:]
  }

  private let state = Locked(State())

  func begin(_ meter: TransferMeter, _ body: BodyPreviews) {
    state.withLock { $0.running[ObjectIdentifier(meter)] = (meter, body) }
  }

  func end(_ meter: TransferMeter) {
    state.withLock { state in
      state.running[ObjectIdentifier(meter)] = nil
      state.ended.add(meter.reading)
    }
  }

  var totals: ImagePipeline.Totals {
    state.withLock { state in
      state.running.values.reduce(into: state.ended) { $0.add($1.meter.reading) }
    }
  }

  /// The progress of each body of which something has arrived.
  var bodies: [(receivedByteCount: Int, expectedByteCount: Int?)] {
    // Not under the lock: a preview in the making holds that of its body.
    let running = state.withLock { $0.running.values.map(\.body) }
    return running.compactMap { body in
      let (received, expected) = body.progress
      return received > 0 ? (received, expected) : nil
    }
  }
}

extension ImagePipeline.Totals {
  fileprivate mutating func add(_ reading: TransferMeter.Reading) {
    requestCount += reading.requestCount
    receivedByteCount += reading.receivedByteCount
  }
}
