import Foundation
import InMemoryTracing
import Testing
import Tracing

@testable import HTTPListening
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

@Suite struct `Tracing in the server` {
  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
  private static let traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
  private let lines = Locked<[String]>([])
  private let tracer = InMemoryTracer()

  private func server(isTracing: Bool) async throws -> ServerFixture {
    try await ServerFixture(
      ["/a.jpg": [.whole(SampleImages.widePhoto, fields: ["Cache-Control: max-age=600"])]],
      loading: { [tracer] in if isTracing { $0.tracer = tracer } },
      serving: { [lines] in $0.accessLog = .init { line in lines.withLock { $0.append(line) } } })
  }

  @Test func `without a tracer the trace context is forwarded and logged`() async throws {
    let server = try await server(isTracing: false)
    let target = server.thumb("/a.jpg")
    let fields = ["TraceParent: \(Self.parent)", "tracestate: a=1", "tracestate: b=2"]

    for lines in [fields, fields, []] { _ = try await server.get(target, lines) }
    _ = try await server.get("/healthz")
    try await server.stop()

    #expect(server.origin.requests.map { $0["traceparent"] } == [Self.parent])
    #expect(server.origin.requests.first?["tracestate"] == "a=1,b=2")
    let logged = lines.withLock { $0 }.map { $0.split(separator: " ").suffix(4).prefix(2) }
    #expect(
      logged == [
        ["miss", Self.traceID[...]], ["memory", Self.traceID[...]], ["memory", "-"], ["none", "-"],
      ])
  }

  @Test func `each request is a span, with the load below it`() async throws {
    let server = try await server(isTracing: true)
    let target = server.thumb("/a.jpg")
    let parent = ["\(InMemoryTracer.traceIDKey): trace-7", "\(InMemoryTracer.spanIDKey): span-7"]

    _ = try await server.get(target, parent)
    _ = try await server.get(target)
    _ = try await server.get(server.thumb("/absent.jpg", "w=1&h=1&sig=s3cret"))
    _ = try await server.get("/nowhere?sig=s3cret")
    _ = try await server.exchange("POST", "/thumb?url=1", body: "refused")
    try await server.stop()

    let spans = tracer.finishedSpans
    let requests = spans.filter { $0.kind == .server }.sorted {
      $0.startInstant.nanosecondsSinceEpoch < $1.startInstant.nanosecondsSinceEpoch
    }
    #expect(
      requests.map(\.operationName)
        == ["GET /thumb", "GET /thumb", "GET /thumb", "GET", "POST /thumb"])
    #expect(
      requests.map { $0.attributes.get("http.response.status_code") } == [200, 200, 404, 404, 413])
    #expect(
      requests.map { $0.attributes.get("imgcache.tier") } == ["miss", "memory", nil, nil, nil])
    #expect(requests[0].traceID == "trace-7")
    #expect(requests[0].parentSpanID == "span-7")
    #expect(requests[0].attributes.get("url.path") == "/thumb")
    #expect(requests[0].attributes.get("http.route") == "/thumb")
    #expect(requests[3].attributes.get("http.route") == nil)
    let loads = spans.filter { $0.operationName == "image load" }
    #expect(loads.map(\.parentSpanID) == [requests[0].spanID, requests[2].spanID])
    #expect(spans.filter { $0.operationName == "fetch" }.first?.traceID == "trace-7")
    #expect(server.origin.requests.first?[InMemoryTracer.traceIDKey] == "trace-7")
    for span in spans { #expect(!"\(span.attributes)".contains("s3cret")) }
    #expect(tracer.activeSpans.isEmpty)
  }

  @Test func `a client that disconnects ends the span`() async throws {
    let gate = Gate()
    let server = try await server(isTracing: true)
    server.origin["/a.jpg"] = [.held([], gate)]
    let client = try server.client(
      "GET \(server.thumb("/a.jpg")) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await server.until { !server.origin.requests.isEmpty }
    client.end()

    await server.until { [tracer] in
      tracer.finishedSpans.contains { $0.operationName == "GET /thumb" }
    }
    gate.open()
    try await server.stop()

    let request = try #require(tracer.finishedSpans.first { $0.kind == .server })
    #expect(request.attributes.get("http.response.status_code") == 499)
    #expect(request.attributes.get("error.type") == "499")
    #expect(tracer.activeSpans.isEmpty)
  }

  @Test func `the proxy forwards the trace context`() async throws {
    let (proxy, origin) = try await ProxyFixture.start(["/a": [.whole([1])]])

    _ = try proxy.get("/a", ["traceparent: \(Self.parent)", "tracestate: a=1"])

    #expect(origin.requests.first?["traceparent"] == Self.parent)
    #expect(origin.requests.first?["tracestate"] == "a=1")
  }

  /// The route of a span has few values; a query has any number.
  @Test func `queries are not in the route of a span`() async throws {
    let server = try await server(isTracing: true)

    for target in ["/status?lang=en", "/healthz?probe=1", "/?lang=en", "/purge?x=1"] {
      _ = try await server.get(target)
    }
    try await server.stop()

    let spans = tracer.finishedSpans.filter { $0.kind == .server }
    #expect(
      Set(spans.map(\.operationName)) == ["GET /status", "GET /healthz", "GET /", "GET /purge"])
  }
}
