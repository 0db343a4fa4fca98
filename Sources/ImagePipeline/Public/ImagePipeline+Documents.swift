import DiskCaching
import HTTPCaching
import HTTPTypes
import ImageFetching
package import ImageModel

/// Documents of feeds: stored beside the images, revalidated, and available without a network.
extension ImagePipeline: DocumentLoading {
  /// Returns the document at a URL; see `DocumentLoading.document(at:options:)`.
  package func document(at url: String, options: DocumentOptions) async throws -> Document {
    let url = configuration.fetcher.credentials.extract(from: url)
    let resolved = try graph.resolve(ImageRequest(url: url))
    return try await observed(resolved, isDocument: true) { recorder in
      do {
        return try await onOwnThreads { try await load(url, options, recorder) }
      } catch { throw resolved.failure(error) }
    } ending: {
      LoadReport.Ending(
        source: $0.document.source, freshness: $0.freshness, byteCount: $0.document.bytes.count)
    }.document
  }

  private func load(
    _ url: String, _ options: DocumentOptions, _ recorder: LoadRecorder
  ) async throws -> (document: Document, freshness: LoadFreshness) {
    var request = HTTPCacheRequest(fields: [.accept: options.accept])
    request.policy = options.isOffline ? .onlyIfCached : options.revalidates ? .revalidate : .http
    request.acceptsRevalidatingMeanwhile = false
    request.mustBeStored = true
    switch documents.answer(request, for: url) {
    case .gatewayTimeout:
      throw ImageError(
        .notCached, "\(url) is not cached, and DocumentOptions.isOffline forbids fetching")
    case .deliver(let entry, let freshness, _):
      if let kept = await configuration.diskCache?.read(entry.record.key) {
        return (Document(url: url, kept, source: .disk), freshness)
      }
      return (try await fetch(.init(request, url: url), options, recorder), .current)
    case .ask(let question): return (try await fetch(question, options, recorder), .current)
    }
  }

  private var documents: OriginalCache {
    HTTPCache(
      DiskResponseStore(
        disk: configuration.diskCache?.core, kind: .documents, headers: configuration.originHeaders),
      profile: .images(isShared: false), clock: configuration.clock)
  }

  private func fetch(
    _ question: OriginalCache.Question, _ options: DocumentOptions,
    _ recorder: LoadRecorder
  ) async throws -> Document {
    let url = question.url
    return try await documents.ask(question) { fields, take in
      var fetch = FetchRequest(url: url)
      fetch.headers = fields
      fetch.conditionsURL = question.conditionsURL
      fetch.limits = configuration.fetchLimits
      fetch.limits.maximumByteCount = options.maximumByteCount
      fetch.hostRules = configuration.hostRules
      fetch.acceptsCompression = true
      if let referer = options.referer { fetch.referer = .exactly(referer) }
      let response = try await recorder.fetch(fetch, clock: configuration.clock) {
        try await configuration.fetcher.fetch($0)
      }
      let head = OriginHead(response, for: url, at: configuration.clock())
      switch try take(head) {
      case .deliver(let entry):
        guard let kept = await configuration.diskCache?.read(entry.record.key) else {
          throw OriginalCache.UselessResponse()
        }
        return Document(url: url, kept, source: .revalidated)
      case .store(let stored): return try await document(at: url, of: response, as: stored)
      case .pass:
        return try await document(at: url, of: response, as: StoredResponse(unstored: head))
      case .join, .substitute: throw OriginalCache.UselessResponse()
      }
    }
  }

  private func document(
    at url: String, of response: FetchedResponse, as stored: StoredResponse
  ) async throws -> Document {
    var record = CacheRecord(key: .document(url: url), at: stored.responseTime)
    var stored = stored.withoutCookieValues
    let sent = try response.body.bytes()
    let bytes = configuration.fetcher.credentials.extract(fromDocument: sent)
    // Passwords that it names are not stored: it is requested in full again.
    if bytes.count != sent.count {
      for name in [HTTPField.Name.eTag, .lastModified, .contentLength] { stored.fields[name] = nil }
    }
    record.adopt(stored)
    record.originMark = configuration.diskCache?.core.mark(of: response.originHeaders) ?? []
    _ = try? await configuration.diskCache?.store(bytes, record)
    return Document(url: url, CachedEntry(record: record, bytes: bytes), source: .network)
  }

  /// Returns what was kept under a name; never sends a request to an origin.
  package func keptDocument(named name: String) async throws -> Document? {
    guard let cache = configuration.diskCache, let entry = await cache.read(.document(url: name)),
      !entry.record.isNegative, cache.core.shows(entry.record, to: credentials(for: name))
    else { return nil }
    return Document(url: name, entry, source: .disk)
  }

  private func credentials(for url: String) -> RequestCredentials {
    RequestCredentials(for: url, headers: configuration.originHeaders)
  }

  /// Keeps a document under a name of the caller's own. A store that fails is counted, not thrown.
  package func keep(_ document: Document, as name: String) async throws {
    var record = CacheRecord(key: .document(url: name), at: document.fetchedAt)
    if let type = document.mediaType { record.headers = HeaderText([.contentType: type]) }
    let sent = credentials(for: document.url).sent()
    record.originMark = configuration.diskCache?.core.mark(of: sent) ?? []
    _ = try? await configuration.diskCache?.store(document.bytes, record)
  }
}

extension Document {
  fileprivate init(url: String, _ entry: CachedEntry, source: LoadSource) {
    self.init(
      url: url, bytes: entry.bytes, mediaType: entry.record.mediaType, source: source,
      fetchedAt: entry.record.responseTime)
  }
}
