import HTTPListening
import ImagePipeline

/// Decides what may be done for a URL: ask its origin, serve what is kept, or nothing.
struct SourcePermission: Sendable {
  let hosts: HostAllowList
  /// Never asks an origin.
  let isOffline: Bool
  let cache: DiskCache
  /// The pictures that days in the cache name.
  let days: any DayProviding
  /// Threads that may wait for the disk.
  let executor: BlockingExecutor

  /// How far the cache may go for a URL.
  ///
  /// - Throws: ``Problem``: 400 for what is no URL, 403 for a host that is not named and a picture that nobody kept.
  func policy(for url: String) async throws(Problem) -> CachePolicy {
    guard url.utf8.count <= Self.maximumLength, let web = WebURL(url), web.credentials == nil else {
      throw Problem(.badRequest, "invalid_url", "The url is no http or https URL.")
    }
    if isOffline { return .onlyIfCached }
    if hosts.allows(host: web.host) { return .http }
    if await days.names(url) { return .http }
    if await isKept(url) { return .onlyIfCached }
    throw .forbidden
  }

  /// An original as it is offered: its bytes, or the file that it is kept in. Looks at the disk on threads that may wait.
  func representation(of data: DataResponse) async throws -> Representation {
    try await executor.run {
      if case .file(let path) = data.body { return try Representation(data, path: path) }
      return try Representation(data, path: keptFile(of: data))
    }
  }

  /// The file with just these bytes: by now another version may be kept under the same key.
  private func keptFile(of data: DataResponse) -> String? {
    guard let hash = data.hash, let path = cache.path(for: data.record.key),
      path.hasSuffix("/\(hash.hex)")
    else { return nil }
    return path
  }

  private static let maximumLength = 8192

  private func isKept(_ url: String) async -> Bool {
    let kept = try? await executor.run {
      cache.record(for: .original(url: url)).map { !$0.isNegative } ?? false
    }
    return kept ?? false
  }
}
