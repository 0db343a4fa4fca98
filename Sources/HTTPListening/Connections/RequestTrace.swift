import ImageModel
import NIOHTTP1
import Tracing

/// The client's trace context, and the server's own span of a request if there is a tracer.
struct RequestTrace: Sendable {
  private let incoming: TraceContext?
  private let span: (any Span)?
  let traceID: String?

  init?(_ facts: RequestFacts, _ head: HTTPRequestHead, _ front: ServerFront) {
    incoming = facts.trace
    guard let tracer = front.tracer else {
      guard let incoming else { return nil }
      (span, traceID) = (nil, incoming.traceID)
      return
    }
    var context = ServiceContext.topLevel
    tracer.extract(head.headers, into: &context, using: HeaderExtractor(trace: incoming))
    let method = Self.methods.contains(head.method) ? head.method.rawValue : "HTTP"
    let route = front.metrics.template(of: head)
    let span = tracer.startSpan(
      route.map { "\(method) \($0)" } ?? method, context: context, ofKind: .server)
    span.updateAttributes { attributes in
      attributes["http.request.method"] = method == "HTTP" ? "_OTHER" : method
      attributes["url.path"] = String(head.uri.prefix { $0 != "?" })
      attributes["url.scheme"] = "http"
      if let route { attributes["http.route"] = route }
    }
    self.span = span
    var carrier: [String: String] = [:]
    tracer.inject(span.context, into: &carrier, using: DictionaryInjector())
    traceID =
      carrier["traceparent"].flatMap { TraceContext(parent: $0)?.traceID } ?? incoming?.traceID
  }

  /// Runs the work for the request, which inherits the trace; without a tracer it passes the
  /// client's trace context on to origins.
  func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await TraceContext.$current.withValue(incoming) {
      guard let span else { return try await body() }
      return try await ServiceContext.$current.withValue(span.context) { try await body() }
    }
  }

  func end(_ entry: AccessLog.Entry) {
    guard let span else { return }
    span.updateAttributes { attributes in
      attributes["http.response.status_code"] = entry.status
      attributes["http.response.body.size"] = entry.byteCount
      if entry.source != .none { attributes["imgcache.tier"] = "\(entry.source)" }
      if entry.status >= 500 || entry.status == AccessLog.Entry.clientLeft {
        attributes["error.type"] = "\(entry.status)"
      }
    }
    if entry.status >= 500 { span.setStatus(SpanStatus(code: .error)) }
    span.end()
  }

  private static let methods: [HTTPMethod] = [
    .GET, .HEAD, .POST, .PUT, .DELETE, .CONNECT, .OPTIONS, .TRACE, .PATCH,
  ]
}

/// Reads the fields of a request; of a malformed `traceparent` neither that nor `tracestate`.
private struct HeaderExtractor: Extractor {
  let trace: TraceContext?

  func extract(key: String, from headers: HTTPHeaders) -> String? {
    switch key.lowercased() {
    case "traceparent": trace?.parent
    case "tracestate": trace?.state
    default: headers.first(name: key)
    }
  }
}

private struct DictionaryInjector: Injector {
  func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
    carrier[key.lowercased()] = value
  }
}
