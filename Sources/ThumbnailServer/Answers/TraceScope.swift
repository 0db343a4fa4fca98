import ImageModel
import Tracing

/// What the work for a request inherits of its trace.
struct TraceScope: Sendable {
  /// What the client sent; passed on to origins where there is no tracer.
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
