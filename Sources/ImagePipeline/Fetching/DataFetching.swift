/// Gets bytes for a URL: over HTTP, from a file, or in tests from memory.
public protocol DataFetching: Sendable {
  /// Fetches once in the sense of the caller: redirects, retries, alternates and the continuation of
  /// a broken transfer happen inside.
  ///
  /// - Returns: An answer whose body is whole, or the head alone for 304 and HEAD.
  /// - Throws: ``ImageError`` with a code of the network or of the request; `httpStatus`, with the
  ///   status and a `Retry-After`, for a final status that is neither 2xx nor 304, unless
  ///   ``FetchRequest/returnsEveryStatus``. `CancellationError` when the task is cancelled, once the
  ///   transfer has ended.
  func fetch(_ request: FetchRequest) async throws -> FetchedResponse
}
