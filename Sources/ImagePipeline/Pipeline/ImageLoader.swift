import HTTPTypes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The journey of a request, from top to bottom: disk, fetch, check, store, deliver.
struct ImageLoader: Sendable {
  let configuration: ImagePipeline.Configuration
  /// Threads that may wait and compute.
  let executor: BlockingExecutor

  private var cache: DiskCache? { configuration.diskCache }

  /// Loads the encoded bytes of a picture.
  func load(_ request: ImageRequest, meter: TransferMeter) async throws -> DataResponse {
    let kept = try await lookUp(request)
    let now = configuration.clock()
    let isFresh = kept.map { $0.record.isFresh(at: now) } ?? false

    switch LoadPlan(policy: request.cachePolicy, kept: kept?.record, isFresh: isFresh) {
    case .deliver:
      cache?.count(.diskHits)
      return .kept(kept, for: request)
    case .fail(let code):
      throw refusal(code, of: request, kept: kept?.record)
    case .fetch(let revalidates):
      cache?.count(.diskMisses)
      let validators = revalidates ? kept?.record.validators ?? [:] : [:]
      let response = try await fetch(request, adding: validators, meter: meter)
      if response.head.status == .notModified, let kept {
        return try await confirm(kept, by: response, for: request)
      }
      return try await accept(response, for: request)
    }
  }

  // MARK: Disk

  private func lookUp(_ request: ImageRequest) async throws -> CachedEntry? {
    guard let cache, request.cachePolicy != .reload else { return nil }
    return try await executor.run(priority: request.priority) {
      let entry = cache.read(request.key, protecting: request.isToBeKept)
      if entry?.record.isNegative == false {
        for group in request.groups.subtracting(entry?.record.groups ?? []) {
          try cache.addGroup(group, to: [request.key])
        }
      }
      return entry
    }
  }
}
