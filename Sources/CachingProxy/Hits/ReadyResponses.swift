import ImageModel
import NIOCore

/// The responses that are ready to be sent, by the target that they answer, up to a number of
/// bytes.
///
/// A response that is no longer valid stays until another one takes its place: each use checks with
/// the store whether it is valid.
final class ReadyResponses: Sendable {
  private struct State {
    var responses: [String: [ReadyResponse]] = [:]
    /// In order of storing; some are gone.
    var queue = CircularBuffer<(target: String, id: ObjectIdentifier)>()
    var count = 0
    var byteCount = 0
    var refusedCount = 0

    func response(_ target: String, _ id: ObjectIdentifier) -> ReadyResponse? {
      responses[target]?.first { ObjectIdentifier($0) == id }
    }

    mutating func add(_ response: ReadyResponse) {
      responses[response.target, default: []].append(response)
      queue.append((response.target, ObjectIdentifier(response)))
      count += 1
      byteCount += response.cost
    }

    mutating func remove(_ old: ReadyResponse) {
      responses[old.target]?.removeAll { $0 === old }
      if responses[old.target]?.isEmpty == true { responses[old.target] = nil }
      count -= 1
      byteCount -= old.cost
    }

    mutating func shrink(to maximumByteCount: Int) {
      while byteCount > maximumByteCount, let (target, id) = queue.popFirst() {
        if let oldest = response(target, id) { remove(oldest) }
      }
      if queue.count > 2 * count + 64 {
        queue = CircularBuffer(queue.filter { response($0.target, $0.id) != nil })
      }
    }
  }

  /// The maximum number of responses for one target, which the requests decide.
  private static let maximumVariantCount = 8

  private let maximumByteCount: Int
  private let state = Locked(State())

  /// - Parameter maximumByteCount: The maximum bytes of heads and keys.
  init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

  var byteCount: Int { state.withLock { $0.byteCount } }

  func responses(to target: String) -> [ReadyResponse]? {
    state.withLock { $0.responses[target] }
  }

  /// Adds a response in place of one for the same requests.
  ///
  /// If there is no room, only every fourth takes the place of the oldest: with many more targets
  /// than room, most would be removed again before they are requested.
  func insert(_ response: ReadyResponse) {
    let cost = response.cost
    guard cost <= maximumByteCount / 4 else { return }
    state.withLock { state in
      let others = state.responses[response.target] ?? []
      if let old = others.first(where: response.replaces)
        ?? (others.count < Self.maximumVariantCount ? nil : others.first)
      {
        state.remove(old)
      }
      if state.byteCount + cost > maximumByteCount {
        state.refusedCount += 1
        guard state.refusedCount & 3 == 0 else { return }
      }
      state.add(response)
      state.shrink(to: maximumByteCount)
    }
  }
}
