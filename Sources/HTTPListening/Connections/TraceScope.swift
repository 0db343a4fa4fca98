import ImageModel
import Tracing

/// The trace data that the work for a request inherits.
struct TraceScope: Sendable {
  /// The client's trace context; passed on to origins if there is no tracer.
  let incoming: TraceContext?
  /// The context of the server's span; `nil` without a tracer.
  let context: ServiceContext?

  /// Runs the work.
  func run<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await TraceContext.$current.withValue(incoming) {
      guard let context else { return try await body() }
      return try await ServiceContext.$current.withValue(context) { try await body() }
    }
  }
}
