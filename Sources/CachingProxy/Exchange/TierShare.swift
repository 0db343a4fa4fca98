import DiskCaching
import HTTPCaching
import HTTPListening
import HTTPTypes
import ImageModel

/// The part of the shared tier in one request: it answers the request, or has this server send it
/// to the origin for all of them.
final class TierShare: Sendable {
  private let tier: any SharedResponseTier
  private let key: TierKey
  private let selectors: Set<String>
  /// That of the response here; in the tier it is in the key.
  private let selection: String
  private let clock: @Sendable () -> Date
  private let profile: CacheProfile
  private let turn: Locked<TierTurn>
  /// The generation under which the response is stored; `nil` if the tier does not answer.
  let generation: TierGeneration?

  /// Looks a request up, or waits for the server that sends it to the origin; `nil` if the tier
  /// does not take part in it.
  init?(
    _ services: ProxyServices, _ request: ProxyRequest,
    _ question: HTTPCache<StreamingEntry>.Question
  ) async throws {
    guard let tier = services.tier, request.method == "GET" else { return nil }
    // One value for https, which other servers have, too; none for hosts that clients have made up.
    let isHTTPS = request.selectors == [ForwardedFields.scheme]
    let key = TierKey(url: question.url, variant: isHTTPS ? "https" : nil)
    let vary: HTTPFields = isHTTPS ? [.vary: ForwardedFields.scheme] : [:]
    let selection = VaryKey(answer: vary, request: request.fields)?.description ?? ""
    let mayShare = request.mayCollapse && (isHTTPS || request.selectors.isEmpty)
    let (clock, profile) = (services.clock, services.cache.profile)
    let asked = question.request
    let turn: TierTurn =
      mayShare
      ? try await tier.turn(for: key, until: .now + services.flights.patience) { value in
        var response = value.response
        response.selection = selection
        return Self.isForAll(response, selectedBy: asked.selectors)
          && response.answers(asked, storedUnder: key.url.text)
          && profile.mayStore(status: response.status, response.fields, for: asked.fields)
          && response.reuse(for: asked, at: clock(), profile: profile) == .fresh
      } : .makeAlone
    generation =
      switch turn {
      case .use(_, let generation): generation
      case .make(let lock): lock.generation
      case .makeAlone: mayShare ? nil : await tier.generation(of: question.url)
      }
    self.tier = tier
    self.key = key
    self.selection = selection
    selectors = asked.selectors
    self.clock = clock
    self.profile = profile
    self.turn = Locked(turn)
  }

  /// The response of another server; `nil` if a request to the origin is needed.
  var found: (TierValue, TierGeneration)? {
    turn.withLock { turn in
      guard case .use(var value, let generation) = turn else { return nil }
      value.response.selection = selection
      return (value, generation)
    }
  }

  private func acquireLock() -> TierLock? {
    turn.withLock { turn in
      guard case .make(let lock) = turn else { return nil }
      turn = .makeAlone
      return lock
    }
  }

  /// Releases the lock, so that another server continues.
  func release() { if let lock = acquireLock() { tier.release(lock) } }

  /// Whether the tier may have a response, by its length if that is announced.
  func mayTake(_ response: StoredResponse, byteCount: Int?) -> Bool {
    Self.isForAll(response, selectedBy: selectors) && byteCount ?? 0 <= tier.maximumBodyByteCount
  }

  /// Whether the clients of all servers may have a response, by all that the tier keeps of it: not one
  /// that other fields than these select (`Vary`), that has a client's cookies, that is a part, that
  /// redirects led to, that answers other URLs, too (`No-Vary-Search`), or that is in a group (RFC
  /// 9875), which this server could not invalidate at others.
  private static func isForAll(
    _ response: StoredResponse, selectedBy selectors: Set<String>
  ) -> Bool {
    VaryKey.names(in: response.fields) == selectors
      && NoVarySearch(response.fields) == nil
      && !response.fields.contains(.setCookie) && response.status != 206
      && response.effectiveURL == nil
      && HTTPField.Name("Cache-Groups").map { !response.fields.contains($0) } ?? true
  }

  func write(_ response: StoredResponse, _ body: any StoredBody, byteCount: Int) {
    guard let lock = acquireLock() else { return }
    let now = clock()
    let use = profile.freshness(of: response)
    guard mayTake(response, byteCount: byteCount), use.isFresh(at: now),
      let bytes = try? body.read(at: 0, count: byteCount), bytes.count == byteCount
    else { return tier.release(lock) }
    let freshUntil = now.addingTimeInterval(use.remaining(at: now))
    let grace = max(use.control.staleWhileRevalidate ?? 0, use.control.staleIfError ?? 0)
    var value = TierValue(
      response: response, body: bytes, freshUntil: freshUntil,
      staleUntil: freshUntil.addingTimeInterval(Double(grace)),
      tags: CacheTag.all(of: response, url: key.url.text).map(\.name))
    value.response.selection = ""
    value.currentAt = response.sharedAt ?? response.responseTime
    tier.write(value, for: key, lock.generation, lock: lock)
  }

  func write(_ entry: StreamingEntry) {
    guard let body = entry.open() else { return release() }
    write(entry.response, body, byteCount: entry.response.byteCount)
  }
}
