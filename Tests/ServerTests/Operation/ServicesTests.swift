#if ServiceLifecycle
  import CachingProxy
  import Foundation
  import HTTPListening
  import ImageModel
  import ImagePipeline
  import ImagePipelineServices
  import LoadScheduling
  import ServiceLifecycle
  import ServiceLifecycleTestKit
  import Testing
  import ThumbnailServer

  @testable import TestSupport

  /// The pipeline and the servers as services, with the trait of the package.
  @Suite struct `Services` {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Runs a service until the graceful shutdown, which comes when a condition holds.
    private func run(
      _ service: any Service, until isReady: @escaping @Sendable () -> Bool = { true }
    ) async throws {
      try await testGracefulShutdown { trigger in
        async let ended: Void = service.run()
        await Condition.until(isReady)
        trigger.triggerGracefulShutdown()
        try await ended
      }
    }

    /// Runs a server that makes a socket, which it removes when it stops.
    private func run(_ server: any Service, at socket: String) async throws {
      try await run(server) { FileManager.default.fileExists(atPath: socket) }
      #expect(!FileManager.default.fileExists(atPath: socket))
    }

    @Test func `a pipeline is closed`() async throws {
      let pipeline = try ImagePipeline(.server(directory: scratch / "cache"))

      try await run(pipeline)

      let error = await #expect(throws: ImageError.self) {
        try await pipeline.data(for: ImageRequest(url: "http://a.test/a.jpg"))
      }
      #expect(error?.code == .invalidated)
    }

    @Test func `both servers drain`() async throws {
      let socket = scratch / "socket"
      let parts = try ThumbnailServer.Parts(
        .server(directory: scratch / "cache"), maximumDecodes: 1, waiting: WaitLimits())
      var configuration = ThumbnailServer.Configuration()
      configuration.listener.targets = [.unix(path: socket)]
      try await run(ThumbnailServer(configuration, parts: parts), at: socket)

      var proxy = CachingProxy.Configuration(
        origin: "http://a.test", storage: .memory(maximumByteCount: 1 << 20))
      proxy.listener.targets = [.unix(path: socket)]
      try await run(CachingProxy(proxy), at: socket)
    }
  }
#endif
