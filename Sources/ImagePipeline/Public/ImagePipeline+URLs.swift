import ImageModel

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Loads of a URL with the defaults of a request: as text, which may be any that a source spells,
/// and as Foundation's type.
extension ImagePipeline {
  /// Returns the image at a URL; see ``image(for:)-(ImageRequest)``.
  nonisolated(nonsending) public func image(
    for url: String
  ) async throws -> ImageResponse {
    try await image(for: ImageRequest(url: url))
  }

  /// Returns the image at a URL; see ``image(for:)-(ImageRequest)``.
  nonisolated(nonsending) public func image(
    for url: URL
  ) async throws -> ImageResponse {
    try await image(for: ImageRequest(url: url))
  }

  /// Returns the bytes at a URL; see ``data(for:)-(ImageRequest)``.
  public func data(for url: String) async throws -> DataResponse {
    try await data(for: ImageRequest(url: url))
  }

  /// Returns the bytes at a URL; see ``data(for:)-(ImageRequest)``.
  public func data(for url: URL) async throws -> DataResponse {
    try await data(for: ImageRequest(url: url))
  }

  /// Returns the file with the bytes at a URL; see ``file(for:)-(ImageRequest)``.
  public func file(for url: String) async throws -> String {
    try await file(for: ImageRequest(url: url))
  }

  /// Returns the file with the bytes at a URL; see ``file(for:)-(ImageRequest)``.
  public func file(for url: URL) async throws -> String {
    try await file(for: ImageRequest(url: url))
  }

  /// Starts to load the image at a URL; see ``task(for:)-(ImageRequest)``.
  public func task(for url: String) -> ImageTask { task(for: ImageRequest(url: url)) }

  /// Starts to load the image at a URL; see ``task(for:)-(ImageRequest)``.
  public func task(for url: URL) -> ImageTask { task(for: ImageRequest(url: url)) }

  /// Returns the events of the image at a URL; see ``events(for:)-(ImageRequest)``.
  public func events(for url: String) -> ImageEvents { events(for: ImageRequest(url: url)) }

  /// Returns the events of the image at a URL; see ``events(for:)-(ImageRequest)``.
  public func events(for url: URL) -> ImageEvents { events(for: ImageRequest(url: url)) }
}
