import Foundation
import Synchronization
import Tracing

/// Writes each span that ends as a line of OTLP/JSON, which the `otlpjsonfile` receiver of the
/// OpenTelemetry Collector reads, and with it Jaeger. Contexts travel as W3C Trace Context.
///
/// It samples everything and writes one span a line, which is enough to look at one; services use
/// swift-otel, which batches and sends.
final class OTLPFileTracer: Tracer {
  private let file: Mutex<FileHandle>
  private let service: String

  /// Creates the file, replacing one that is there.
  init(path: String, service: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil) else {
      throw CocoaError(.fileWriteUnknown)
    }
    file = Mutex(try FileHandle(forWritingTo: URL(fileURLWithPath: path)))
    self.service = service
  }

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file: String, line: UInt
  ) -> OTLPSpan {
    let parent = context()
    var own = parent
    own.spanID = SpanID(
      trace: parent.spanID?.trace ?? SpanID.digits(32), span: SpanID.digits(16))
    return OTLPSpan(
      operationName, own, parent: parent.spanID?.span, kind, instant().nanosecondsSinceEpoch,
      export: { [weak self] in self?.write($0) })
  }

  func forceFlush() { file.withLock { try? $0.synchronize() } }

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Carrier == Inject.Carrier {
    guard let id = context.spanID else { return }
    injector.inject("00-\(id.trace)-\(id.span)-01", forKey: "traceparent", into: &carrier)
    if let state = id.state { injector.inject(state, forKey: "tracestate", into: &carrier) }
  }

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Carrier == Extract.Carrier {
    guard let parent = extractor.extract(key: "traceparent", from: carrier) else { return }
    let parts = parent.split(separator: "-")
    guard parts.count >= 4, parts[1].count == 32, parts[2].count == 16 else { return }
    context.spanID = SpanID(
      trace: String(parts[1]), span: String(parts[2]),
      state: extractor.extract(key: "tracestate", from: carrier))
  }

  private func write(_ span: [String: Any]) {
    let line: [String: Any] = [
      "resourceSpans": [
        [
          "resource": ["attributes": [OTLPSpan.attribute("service.name", service)]],
          "scopeSpans": [["scope": ["name": "imgcache"], "spans": [span]]],
        ]
      ]
    ]
    guard let data = try? JSONSerialization.data(withJSONObject: line, options: .sortedKeys) else {
      return
    }
    file.withLock { try? $0.write(contentsOf: data + [10]) }
  }
}

/// The identifiers of a span, in hexadecimal digits.
struct SpanID: Sendable {
  var trace: String
  var span: String
  var state: String?

  static func digits(_ count: Int) -> String {
    String((0..<count).map { _ in "0123456789abcdef".randomElement() ?? "0" })
  }
}

private enum SpanIDKey: ServiceContextKey {
  typealias Value = SpanID
}

extension ServiceContext {
  fileprivate(set) var spanID: SpanID? {
    get { self[SpanIDKey.self] }
    set { self[SpanIDKey.self] = newValue }
  }
}

/// A span that is written when it ends.
final class OTLPSpan: Span {
  private struct State {
    var operationName: String
    var attributes: SpanAttributes = [:]
    var events: [SpanEvent] = []
    var links: [SpanLink] = []
    var status: SpanStatus?
    var isRecording = true
  }

  let context: ServiceContext
  private let parent: String?
  private let kind: SpanKind
  private let start: UInt64
  private let export: @Sendable ([String: Any]) -> Void
  private let state: Mutex<State>

  init(
    _ operationName: String, _ context: ServiceContext, parent: String?, _ kind: SpanKind,
    _ start: UInt64, export: @escaping @Sendable ([String: Any]) -> Void
  ) {
    self.context = context
    self.parent = parent
    self.kind = kind
    self.start = start
    self.export = export
    state = Mutex(State(operationName: operationName))
  }

  var isRecording: Bool { state.withLock { $0.isRecording } }

  var operationName: String {
    get { state.withLock { $0.operationName } }
    set { state.withLock { $0.operationName = newValue } }
  }

  var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { state.withLock { $0.attributes = newValue } }
  }

  func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }
  func addEvent(_ event: SpanEvent) { state.withLock { $0.events.append(event) } }
  func addLink(_ link: SpanLink) { state.withLock { $0.links.append(link) } }

  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    var attributes = attributes
    attributes["exception.type"] = "\(type(of: error))"
    addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
  }

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let end = instant().nanosecondsSinceEpoch
    let ended = state.withLock { state -> State? in
      guard state.isRecording else { return nil }
      state.isRecording = false
      return state
    }
    if let ended, let id = context.spanID { export(json(ended, id, end)) }
  }

  // MARK: JSON

  private func json(_ state: State, _ id: SpanID, _ end: UInt64) -> [String: Any] {
    var json: [String: Any] = [
      "traceId": id.trace, "spanId": id.span, "name": state.operationName, "kind": kindNumber,
      "startTimeUnixNano": "\(start)", "endTimeUnixNano": "\(end)",
      "attributes": Self.list(state.attributes),
    ]
    json["parentSpanId"] = parent
    json["traceState"] = id.state
    if let status = state.status {
      json["status"] = ["code": status.code == .error ? 2 : 1, "message": status.message ?? ""]
    }
    json["events"] = state.events.map { event in
      [
        "name": event.name, "timeUnixNano": "\(event.nanosecondsSinceEpoch)",
        "attributes": Self.list(event.attributes),
      ]
    }
    json["links"] = state.links.compactMap { link in
      link.context.spanID.map { ["traceId": $0.trace, "spanId": $0.span] }
    }
    return json
  }

  private var kindNumber: Int {
    switch kind {
    case .internal: 1
    case .server: 2
    case .client: 3
    case .producer: 4
    case .consumer: 5
    }
  }

  private static func list(_ attributes: SpanAttributes) -> [[String: Any]] {
    var list: [[String: Any]] = []
    attributes.forEach { name, value in
      switch value {
      case .int32(let number): list.append(attribute(name, "\(number)", "intValue"))
      case .int64(let number): list.append(attribute(name, "\(number)", "intValue"))
      case .double(let number): list.append(attribute(name, number, "doubleValue"))
      case .bool(let flag): list.append(attribute(name, flag, "boolValue"))
      case .string(let text): list.append(attribute(name, text))
      default: list.append(attribute(name, "\(value)"))
      }
    }
    return list
  }

  static func attribute(
    _ name: String, _ value: Any, _ type: String = "stringValue"
  ) -> [String: Any] { ["key": name, "value": [type: value]] }
}
