import FoundationEssentials
import HTTPTypes

extension CacheRecord {
  func isFresh(at date: Date) -> Bool {
    if let expires { return date < expires }
    return !isAlwaysStale && (headers.first("cache-control") ?? "").contains("max-age=86400")
  }
  var conditionalFields: HTTPFields {
    var f = HTTPFields()
    if let entityTag { f[.ifNoneMatch] = entityTag }
    if let lastModified { f[.ifModifiedSince] = lastModified }
    return f
  }
  func confirmed(by: HTTPFields, requestTime: Date, responseTime: Date) -> CacheRecord { self }
  var mayBeStored: Bool { !(headers.first("cache-control") ?? "").contains("no-store") }
}

final class TaskCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  func value(for key: Key, _ body: @Sendable () async throws -> Value) async throws -> Value {
    try await body()
  }
}
public struct ThumbnailRecipe: Sendable, Hashable {
  public var size: PixelSize
  public var fit: FitMode
  public init(size: PixelSize, fit: FitMode) { self.size = size; self.fit = fit }
}
extension ImagePipeline {
  public func thumbnail(of url: String, _ recipe: ThumbnailRecipe) async throws -> ThumbnailResponse {
    throw ImageError(.unsupportedFormat, "not yet")
  }
  public func keptThumbnail(of url: String, _ recipe: ThumbnailRecipe) async throws -> String? { nil }
}
