import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What all requests of a proxy work with.
struct ProxyServices: Sendable {
  let client: OriginClient
  let store: any ProxyStore
  let cache: HTTPCache<ProxyEntry>
  let flights = FlightTable()
  let exchanges: TaskTally
  let via: ViaField
  let clock: @Sendable () -> Date
  let log: @Sendable (String) -> Void

  /// The URL at the origin that a target means: the key of its answers.
  func url(of target: String) -> String { client.origin + client.pathPrefix + target }
}
