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
  /// Bounds the fetches, in all and for each host.
  let queue: JobQueue

  private var cache: DiskCache? { configuration.diskCache }

  /// Loads the encoded bytes of a picture.
  func load(_ request: ImageRequest, meter: TransferMeter) async throws -> DataResponse {
    let kept = try await lookUp(request)
    let isFresh = kept.map { $0.record.isFresh(at: configuration.clock()) } ?? false

    let plan = LoadPlan(policy: request.cachePolicy, kept: kept?.record, isFresh: isFresh)
    switch (plan, kept) {
    case (.deliver, let kept?):
      return DataResponse(
        request, body: .bytes(kept.bytes), byteCount: kept.bytes.count, record: kept.record,
        source: .disk, meter: meter)
    case (.fail(let code), _):
      throw refusal(of: request, code: code, status: kept?.record.status)
    case (.fetch(revalidates: true), let kept?):
      let response = try await fetch(
        request, adding: kept.record.conditionalFields, meter: meter)
      return response.head.status == 304
        ? try await confirm(kept, by: response, for: request, meter: meter)
        : try await accept(response, for: request, meter: meter)
    case (.fetch, _), (.deliver, nil):
      do {
        let response = try await fetch(request, adding: [:], meter: meter)
        return try await accept(response, for: request, meter: meter)
      } catch let error as ImageError where error.status == 404 || error.status == 410 {
        await remember(error, for: request)
        throw error
      }
    }
  }

  // MARK: Disk

  private func lookUp(_ request: ImageRequest) async throws -> CachedEntry? {
    guard let cache, request.cachePolicy != .reload else { return nil }
    return try await executor.run(priority: request.priority) {
      let entry = cache.read(request.key, protecting: request.isToBeKept)
      if entry?.record.isNegative == false { Self.join(request, in: cache) }
      return entry
    }
  }

  /// Puts an entry into the groups of a request.
  func join(_ request: ImageRequest) async throws {
    guard let cache, !request.groups.isEmpty else { return }
    try await executor.run(priority: request.priority) { Self.join(request, in: cache) }
  }

  /// An entry that cannot be put into a group is still an entry.
  private static func join(_ request: ImageRequest, in cache: DiskCache) {
    for group in request.groups {
      do throws(ImageError) {
        try cache.addGroup(group, to: [request.key])
      } catch {
        cache.count(.storeFailures)
      }
    }
  }

  private func refusal(of request: ImageRequest, code: ImageError.Code, status: Int?) -> ImageError
  {
    code == .notCached
      ? ImageError(.notCached, "not kept, and the origin is not to be asked")
      : ImageError(
        code,
        "the origin had nothing (\(status.map(String.init) ?? code.rawValue)) a short while ago",
        status: status)
  }

  // MARK: Fetch

  private func fetch(
    _ request: ImageRequest, adding validators: HTTPFields, meter: TransferMeter
  ) async throws -> FetchedResponse {
    var fetch = FetchRequest(url: request.url)
    fetch.headers = request.headers
    for field in validators { fetch.headers[field.name] = field.value }
    fetch.limits = configuration.fetchLimits
    fetch.upgradesToHTTPS = Self.isUpgraded(request.url)
    fetch.resumes = validators.isEmpty
    fetch.meter = meter
    let ready = fetch
    return try await queue.run(
      priority: LivePriority(request.priority), host: WebURL(request.url)?.hostAndPort
    ) {
      try await configuration.fetcher.fetch(ready)
    }
  }

  /// Pictures of Zhihu are asked for over TLS even where an old feed spells them `http` (ZHIHU.md §1.6, 9).
  private static func isUpgraded(_ url: String) -> Bool {
    guard url.hasPrefix("http://") else { return false }
    let host = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return host == "zhimg.com" || host.hasSuffix(".zhimg.com")
  }

  /// Keeps "there is nothing here" for a while, so that a dead link is not asked for in a loop. Bytes that are
  /// kept from better days stay: what an archive has, it does not throw away.
  private func remember(_ error: ImageError, for request: ImageRequest) async {
    guard let cache else { return }
    var record = CacheRecord(key: request.key, at: configuration.clock())
    record.status = error.status ?? 404
    record.failure = error.code
    record.expires = configuration.clock() + configuration.negativeLifetime.seconds
    let negative = record
    do {
      try await executor.run { try cache.storeNegative(negative) }
    } catch {
      cache.count(.storeFailures)
    }
  }

  // MARK: Check, store, deliver

  private func confirm(
    _ kept: CachedEntry, by response: FetchedResponse, for request: ImageRequest,
    meter: TransferMeter
  ) async throws -> DataResponse {
    let record = kept.record.confirmed(
      by: response.head.fields, requestTime: response.requestTime,
      responseTime: response.responseTime)
    let failure = await update(record)
    cache?.count(.revalidations)
    return DataResponse(
      request, body: .bytes(kept.bytes), byteCount: kept.bytes.count, record: record,
      source: .revalidated, meter: meter, storeFailure: failure)
  }

  private func update(_ record: CacheRecord) async -> ImageError? {
    guard let cache else { return nil }
    do {
      try await executor.run { try cache.update(record) }
      return nil
    } catch {
      cache.count(.storeFailures)
      return error as? ImageError
    }
  }

  private func accept(
    _ response: FetchedResponse, for request: ImageRequest, meter: TransferMeter
  ) async throws -> DataResponse {
    let limits = configuration.limits
    let cache = cache
    return try await executor.run(priority: request.priority) {
      do {
        let checked = try Self.inspect(response, request.check, limits)
        let record = Self.record(of: response, checked, for: request)
        let (body, kept, failure) = try Self.store(response.body, record, for: request, in: cache)
        return DataResponse(
          request, body: body, byteCount: response.body.byteCount, record: kept,
          source: .network, meter: meter, storeFailure: failure)
      } catch {
        response.body.remove()
        throw error
      }
    }
  }

  /// A body that is not what it should be is refused here, before anything is stored.
  private static func inspect(
    _ response: FetchedResponse, _ check: ImageCheck, _ limits: ImageLimits
  ) throws -> CheckedImage? {
    guard response.body.byteCount > 0 else {
      throw ImageError(.emptyBody, "the origin answered \(response.head.status) without a body")
    }
    return try response.body.withBytes { bytes in
      check == .none
        ? try? ImageCodecs.check(bytes, level: .none, limits: limits)
        : try ImageCodecs.check(bytes, level: check, limits: limits)
    }
  }

  private static func record(
    of response: FetchedResponse, _ checked: CheckedImage?, for request: ImageRequest
  ) -> CacheRecord {
    var record = CacheRecord(key: request.key, at: response.responseTime)
    record.status = response.head.status
    record.headers = HeaderText(response.head.fields)
    record.requestTime = response.requestTime
    record.format = checked?.info.format
    record.size = checked?.info.size
    record.frameCount = checked?.info.frameCount ?? 1
    record.thumbHash = checked?.placeholder?.thumbHash.bytes ?? []
    record.dominantColor = checked?.placeholder?.dominantColor.rgb
    record.groups = request.groups
    record.isAlwaysStale = !HTTPStorability.mayStore(
      status: response.head.status, headers: response.head.fields, isShared: false)
    return record
  }

  /// A store that fails never fails the load: the bytes are delivered with the reason.
  private static func store(
    _ body: FetchedBody, _ record: CacheRecord, for request: ImageRequest, in cache: DiskCache?
  ) throws -> (DataResponse.Body, CacheRecord, ImageError?) {
    guard let cache, !record.isAlwaysStale || request.isToBeKept else {
      defer { body.remove() }
      return (.bytes(try body.bytes()), record, nil)
    }
    do throws(ImageError) {
      switch body {
      case .bytes(let bytes):
        let kept = try cache.store(bytes, record, protecting: request.isToBeKept)
        return (.bytes(bytes), kept, nil)
      case .file(let path, _):
        let kept = try cache.adopt(fileAt: path, record, protecting: request.isToBeKept)
        guard let path = cache.path(for: request.key) else {
          throw ImageError(.storeFailed, "the file was gone as soon as it was stored")
        }
        return (.file(path: path), kept, nil)
      }
    } catch {
      defer { body.remove() }
      cache.count(.storeFailures)
      return (.bytes(try body.bytes()), record, error)
    }
  }
}
