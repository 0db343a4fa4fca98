import HTTPTypes
import ImageFetching
import ImageModel
import Tracing

/// The span of a load and those of its stages, by the conventions of OpenTelemetry.
///
/// Stages are measured where they run, so their spans are made when they end, with the times of
/// the stage. That of a fetch begins before it, for its context to travel with the request.
/// Attributes have no credentials: of URLs neither user information nor signatures, of errors the
/// code alone.
final class LoadSpan: Sendable {
  private let tracer: any Tracer
  private let span: any Span

  init(_ name: String, url: String, _ tracer: any Tracer) {
    self.tracer = tracer
    span = tracer.startSpan(name, ofKind: .internal)
    span.set("url.full", RedactedURL.text(of: url))
  }

  static var bootstrappedTracer: (any Tracer)? {
    let tracer = InstrumentationSystem.tracer
    return tracer is NoOpTracer ? nil : tracer
  }

  func ended(_ step: LoadStep, _ error: (any Error)?) {
    guard let name = step.stage.spanName else { return }
    let end = DefaultTracerClock.now.nanosecondsSinceEpoch
    let start = end - min(end, UInt64(clamping: step.elapsed.nanoseconds))
    let child = tracer.startSpan(
      name, context: span.context, ofKind: .internal,
      at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: start))
    switch step.stage {
    case .memory, .disk, .shared:
      child.set("imgcache.tier", step.stage.rawValue)
      child.set(
        "imgcache.hit", step.stage == .shared ? step.outcome == "found" : step.outcome != "absent")
    case .process: child.set("imgcache.processor", step.outcome)
    default: break
    }
    if let error { child.fail(error) }
    child.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end))
  }

  func link(_ other: LoadSpan) {
    span.addLink(SpanLink(context: other.span.context, attributes: [:]))
  }

  /// Sends a request with a separate span, whose context it carries.
  func fetch(
    _ request: FetchRequest, _ send: (FetchRequest) async throws -> FetchedResponse
  ) async throws -> FetchedResponse {
    let child = tracer.startSpan("fetch", context: span.context, ofKind: .client)
    defer { child.end() }
    child.set("http.request.method", request.method.rawValue)
    child.set("url.full", RedactedURL.text(of: request.url))
    if let url = WebURL(request.url) {
      child.set("server.address", url.host)
      child.set("server.port", url.port)
    }
    var request = request
    tracer.inject(child.context, into: &request.headers, using: FieldInjector())
    do {
      let response = try await ServiceContext.$current.withValue(child.context) {
        try await send(request)
      }
      child.set("http.response.status_code", response.head.status)
      child.set("http.response.body.size", response.body.byteCount)
      child.set("http.request.resend_count", max(0, response.requestCount - 1))
      return response
    } catch {
      child.fail(error)
      throw error
    }
  }

  func end(_ result: Result<LoadReport.Ending, any Error>) {
    switch result {
    case .success(let ending):
      span.set("imgcache.source", ending.source.rawValue)
      span.set("imgcache.freshness", ending.freshness.rawValue)
      span.set("imgcache.bytes", ending.byteCount)
      span.set("imgcache.coalesced", ending.wasShared)
      if let variant = ending.variant { span.set("imgcache.variant", variant) }
    case .failure(let error): span.fail(error)
    }
    span.end()
  }
}

private struct FieldInjector: Injector {
  func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
    if let name = HTTPField.Name(key) { fields[name] = value }
  }
}

extension LoadStage {
  /// The name of the stage's span; `nil` for the fetch, which has one already.
  fileprivate var spanName: String? {
    switch self {
    case .memory, .disk, .shared: "tier"
    case .wait: "queue"
    case .fetch: nil
    case .prepare, .check, .store, .decode, .process, .encode: rawValue
    }
  }
}

extension Span {
  fileprivate func set(_ name: String, _ value: some SpanAttributeConvertible) {
    updateAttributes { $0.set(name, value: value.toSpanAttribute()) }
  }

  /// Notes a failure by its code: messages have URLs.
  fileprivate func fail(_ error: any Error) {
    let known = error as? ImageError
    set(
      "error.type",
      known?.code.rawValue ?? (error is CancellationError ? "cancelled" : "\(type(of: error))"))
    if let status = known?.status { set("http.response.status_code", status) }
    setStatus(SpanStatus(code: .error))
  }
}

/// URLs without what gives access.
enum RedactedURL {
  /// A URL without user information and fragment, and with `REDACTED` for the values of query
  /// parameters whose names suggest a signature or credential, and for values that have a query of
  /// their own. Of a text that is not an http, https or s3 URL nothing is shown if it may have user
  /// information.
  static func text(of url: String) -> String {
    if let object = S3Address(url) { return object.description }
    guard let url = WebURL(url)?.text ?? (url.contains("@") ? nil : url) else { return "REDACTED" }
    guard let mark = url.firstIndex(of: "?") else { return url }
    let pairs = url[url.index(after: mark)...]
      .split(separator: "&", omittingEmptySubsequences: false)
      .map { pair -> Substring in
        let key = pair.prefix { $0 != "=" }
        let value = pair[key.endIndex...].lowercased()
        let isSecret =
          key.contains("%") || words.contains { key.lowercased().contains($0) }
          || ["?", "%3f", "%253f"].contains { value.contains($0) }
        return isSecret && !value.isEmpty ? key + "=REDACTED" : pair
      }
    return url[...mark] + pairs.joined(separator: "&")
  }

  private static let words = [
    "sig", "token", "key", "secret", "pass", "pwd", "auth", "cred", "hmac",
  ]
}
