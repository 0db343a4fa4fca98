import Foundation

@testable import ImageFetching
@testable import ImageModel

/// A fetcher that may reach loopback, whose waits between retries pass at once, are recorded, and
/// advance its clock.
final class FetcherFixture: Sendable {
  let fetcher: HTTPFetcher
  private let waits = Locked<[Duration]>([])

  init(
    store: (any PartialBodyStoring)? = nil,
    _ change: (inout HTTPFetcher.Configuration) -> Void = { _ in }
  ) throws {
    var configuration = HTTPFetcher.Configuration()
    configuration.hostGuard.allowsPrivateNetworks = true
    configuration.partialBodies = store.map { PartialBodies($0) }
    configuration.clock.chance = { 1 }
    configuration.clock.sleep = { [waits] delay in
      try Task.checkCancellation()
      waits.withLock { $0.append(delay) }
    }
    configuration.clock.now = { [waits] in .now + waits.withLock { $0.reduce(.zero, +) } }
    change(&configuration)
    fetcher = try HTTPFetcher(configuration)
  }

  var delays: [Duration] { waits.withLock { $0 } }

  func fetch(
    _ url: String, _ change: (inout FetchRequest) -> Void = { _ in }
  ) async throws -> FetchedResponse {
    var request = FetchRequest(url: url)
    request.maximumRetryCount = 0
    request.limits.bePatient()
    change(&request)
    return try await fetcher.fetch(request)
  }

  /// The error of a fetch that must fail.
  func failure(
    of url: String, _ change: (inout FetchRequest) -> Void = { _ in }
  ) async -> ImageError? {
    do {
      _ = try await fetch(url, change)
      return nil
    } catch {
      return error as? ImageError
    }
  }
}

extension FetchedBody {
  var text: String { (try? bytes()).map { String(decoding: $0, as: UTF8.self) } ?? "" }
}

extension FetchLimits {
  /// Long timeouts, for origins that tests hold back: on a busy machine that may take minutes.
  mutating func bePatient() {
    lowSpeedTime = .seconds(600)
    connectTime = .seconds(600)
    totalTime = .seconds(600)
  }
}
