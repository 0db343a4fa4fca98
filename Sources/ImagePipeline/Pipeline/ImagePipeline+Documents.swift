#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes

/// Feeds' documents: kept beside the pictures, revalidated, and there without a network.
extension ImagePipeline: DocumentLoading {
  /// Returns the document at a URL; see ``DocumentLoading/document(at:options:)``.
  public func document(at url: String, options: DocumentOptions) async throws -> Document {
    let key = CacheKey.document(url: url)
    let kept = try await read(key)
    if let kept, options.isOffline || (kept.record.isFresh(at: now) && !options.revalidates) {
      return Document(url: url, kept, source: .disk)
    }
    guard !options.isOffline else {
      throw ImageError(.notCached, "\(url) is not kept, and the origin is not to be asked")
    }

    var request = FetchRequest(url: url)
    request.headers[.accept] = options.accept
    request.limits = configuration.fetchLimits
    request.limits.maximumByteCount = options.maximumByteCount
    request.hostRules = configuration.hostRules
    request.acceptsCompression = true
    if let referer = options.referer { request.referer = .exactly(referer) }
    let asked = request
    let response = try await HTTPValidation.asking(kept?.record.conditionalFields ?? [:]) {
      var request = asked
      for field in $0 { request.headers[field.name] = field.value }
      return try await configuration.fetcher.fetch(request)
    }

    if response.head.status == 304, let kept {
      let record = kept.record.confirmed(
        by: response.head.fields, requestTime: response.requestTime,
        responseTime: response.responseTime)
      await write { cache in try cache.update(record) }
      return Document(
        url: url, CachedEntry(record: record, bytes: kept.bytes), source: .revalidated)
    }
    var record = CacheRecord(key: key, at: response.responseTime)
    record.status = response.head.status
    record.headers = HeaderText(withoutCookieValues: response.head.fields)
    record.requestTime = response.requestTime
    let entry = CachedEntry(record: record, bytes: try response.body.takeBytes())
    await write { cache in try cache.store(entry.bytes, entry.record) }
    return Document(url: url, entry, source: .network)
  }

  /// Returns what was kept under a name; never asks an origin.
  public func keptDocument(named name: String) async throws -> Document? {
    try await read(.document(url: name)).map { Document(url: name, $0, source: .disk) }
  }

  /// Keeps a document under a name of the caller's own.
  public func keep(_ document: Document, as name: String) async throws {
    var record = CacheRecord(key: .document(url: name), at: document.fetchedAt)
    if let type = document.mediaType { record.headers = HeaderText([.contentType: type]) }
    let entry = record
    await write { cache in try cache.store(document.bytes, entry) }
  }

  private var now: Date { configuration.clock() }

  private func read(_ key: CacheKey) async throws -> CachedEntry? {
    guard let cache = configuration.diskCache else { return nil }
    return try await executor.run {
      cache.read(key).flatMap { $0.record.isNegative ? nil : $0 }
    }
  }

  /// A document that cannot be kept was had all the same: the failure is counted, not thrown.
  private func write(_ body: @escaping @Sendable (DiskCache) throws -> Void) async {
    guard let cache = configuration.diskCache else { return }
    do {
      try await executor.run { try body(cache) }
    } catch {
      cache.count(.storeFailures)
    }
  }
}

extension Document {
  fileprivate init(url: String, _ entry: CachedEntry, source: LoadSource) {
    self.init(
      url: url, bytes: entry.bytes,
      mediaType: entry.record.mediaType.map { type in
        type.prefix { $0 != ";" && $0 != " " }.lowercased()
      },
      source: source, fetchedAt: entry.record.responseTime)
  }
}
