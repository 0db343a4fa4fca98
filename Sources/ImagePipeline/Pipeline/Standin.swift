import FoundationEssentials
import HTTPTypes

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
