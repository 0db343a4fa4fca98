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
public struct EncodedImage { var bytes: [UInt8]; var format: ImageFormat; var size: PixelSize; var frameCount: Int }
extension ThumbnailRecipe { var identity: String { "" } }
extension ImageCodecs {
  static func thumbnail(of: RawSpan, recipe: ThumbnailRecipe, limits: ImageLimits) throws(ImageError) -> EncodedImage { throw ImageError(.unsupportedFormat, "not yet") }
}
