import InMemoryTracing
import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `Queries in the names of routes` {
  /// The route of a span has few values; a query has any number.
  @Test func `are not in the route of a span`() async throws {
    let tracer = InMemoryTracer()
    let server = try await ServerFixture(loading: { $0.tracer = tracer })

    for target in ["/status?lang=en", "/healthz?probe=1", "/?lang=en", "/purge?x=1"] {
      _ = try await server.get(target)
    }
    try await server.stop()

    let spans = tracer.finishedSpans.filter { $0.kind == .server }
    #expect(
      Set(spans.map(\.operationName)) == ["GET /status", "GET /healthz", "GET /", "GET /purge"])
  }
}
