/// The answer of a feed, whole: a day's JSON, a story page, an RSS file.
package struct Document: Sendable, Hashable {
  /// As the caller spelled it; for a kept snapshot, its name.
  package var url: String
  /// The body after content decoding (gzip, br). May be empty.
  package var bytes: [UInt8]
  /// The `Content-Type` with its parameters, when the origin named one.
  package var mediaType: String?
  package var source: LoadSource
  /// When the origin last sent or confirmed the bytes.
  package var fetchedAt: Date

  package init(
    url: String, bytes: [UInt8], mediaType: String? = nil, source: LoadSource, fetchedAt: Date
  ) {
    self.url = url
    self.bytes = bytes
    self.mediaType = mediaType
    self.source = source
    self.fetchedAt = fetchedAt
  }
}

extension Document: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "url": url, "bytes": bytes.summary, "mediaType": mediaType, "source": source,
      "fetchedAt": fetchedAt,
    ]
  }
}
