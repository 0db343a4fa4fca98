// What needs swift-service-lifecycle, which is fetched and built with the trait alone.
#if ServiceLifecycle
  public import CachingProxy
  import DiskCaching
  public import ImagePipeline
  public import ServiceLifecycle
  public import ThumbnailServer

  extension ImagePipeline: @retroactive Service {
    /// Waits for the graceful shutdown; then finishes the loads in progress and closes the pipeline
    /// with its disk cache. In a group it goes before the services that load through it, as groups
    /// shut down in reverse order.
    public func run() async throws {
      try? await gracefulShutdown()
      await close()
      await configuration.diskCache?.close()
    }
  }

  extension ThumbnailServer: @retroactive Service {
    /// Listens and serves until the graceful shutdown; then accepts no new connection and finishes
    /// the requests in progress.
    ///
    /// - Throws: `ImageError` with code `cannotListen`.
    public func run() async throws {
      _ = try await cancelWhenGracefulShutdown { try await self.run { _ in } }
    }
  }

  extension CachingProxy: @retroactive Service {
    /// Listens and serves until the graceful shutdown; then accepts no new connection and finishes
    /// the requests in progress.
    ///
    /// - Throws: `ImageError` with code `cannotListen`.
    public func run() async throws {
      _ = try await cancelWhenGracefulShutdown { try await self.run { _ in } }
    }
  }
#endif
