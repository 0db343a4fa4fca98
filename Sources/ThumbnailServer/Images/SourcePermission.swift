import DiskCaching
import HTTPListening
import HTTPTypes
import ImageModel
import ImagePipeline

/// Decides what is permitted for a URL: a request to its origin, serving from the cache, or
/// neither.
struct SourcePermission: Sendable {
  let isOffline: Bool
  let cache: DiskCache
  /// The days in the cache, whose images are permitted.
  let days: any DayProviding

  /// - Throws: ``Problem``: 400 for an invalid URL, 403 for a host that is not allowed and an image
  /// that is not in the cache.
  func policy(
    for url: String, hosts: HostAllowList, buckets: Set<String>, roots: Set<String>
  ) async throws(Problem) -> CachePolicy {
    if LocalAddress.isNamed(by: url) {
      guard url.utf8.count <= Self.maximumLength, let address = LocalAddress(url) else {
        throw .invalidURL
      }
      // What was read of a directory that is not served any longer is not served, either.
      guard roots.contains(address.root) else { throw .forbidden }
      return .http
    }
    let object = S3Address(url)
    let web = object == nil ? WebURL(url) : nil
    guard url.utf8.count <= Self.maximumLength, object != nil || web != nil,
      web?.credentials == nil
    else {
      throw .invalidURL
    }
    if isOffline { return .onlyIfCached }
    if let web, hosts.allows(host: web.host) { return .http }
    if let object, buckets.contains(object.bucket) { return .http }
    if await days.names(url) { return .http }
    if await cache.holds(.image(at: url)) { return .onlyIfCached }
    throw .forbidden
  }

  func representation(of data: DataResponse) async throws -> Representation {
    var image = try Representation(data)
    var original = image.original
    original.groups.formUnion(await cache.groups(of: original.key))
    image.tags = CacheTag.all(of: original)
    return image
  }

  private static let maximumLength = 8192
}
