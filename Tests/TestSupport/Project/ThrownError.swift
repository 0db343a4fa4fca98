import Testing

@testable import ImageModel

/// The error of code that must fail with an ``ImageError``; otherwise an issue.
@discardableResult
func imageError<Value>(
  _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
  _ code: () throws -> Value
) -> ImageError? {
  #expect(throws: ImageError.self, comment, sourceLocation: sourceLocation) { _ = try code() }
}

/// The same of a task.
@discardableResult
func imageError<Value>(
  _ comment: Comment? = nil, isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation, _ code: () async throws -> Value
) async -> ImageError? {
  await #expect(throws: ImageError.self, comment, sourceLocation: sourceLocation) {
    _ = try await code()
  }
}
