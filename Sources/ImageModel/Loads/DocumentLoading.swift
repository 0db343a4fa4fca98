/// Fetches and keeps the documents of feeds under ``CacheKey/document(url:)``, so that they can be
/// revalidated by `ETag` or `Last-Modified` and used without a network.
package protocol DocumentLoading: Sendable {
  /// Returns the document at a URL, from the cache where that is allowed.
  ///
  /// A kept copy without explicit freshness is revalidated. A failure to reach the origin is an
  /// error even where a kept copy exists: to accept a stale copy, the caller repeats the request
  /// with ``DocumentOptions/isOffline``.
  ///
  /// - Throws: ``ImageError`` (`httpStatus` for any answer but 200, 203 or 304; `notCached` when
  ///   offline and nothing is kept), or `CancellationError`.
  func document(at url: String, options: DocumentOptions) async throws -> Document

  /// Returns what was kept under a name by ``keep(_:as:)``, or the kept response of a URL.
  func keptDocument(named name: String) async throws -> Document?

  /// Keeps a document under a name that is not a plain URL but has a `#`, which no fetched URL has:
  /// `http://host/api/4/news/latest#latest-of-20170209`.
  func keep(_ document: Document, as name: String) async throws
}
