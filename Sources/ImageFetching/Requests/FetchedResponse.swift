public import HTTPTypes
public import ImageModel

/// A response with the cost of fetching it.
public struct FetchedResponse: Sendable {
  /// Status, fields and the URL that answered. After a resumed transfer it reads as if the whole
  /// had come at once: status 200, no `Content-Range`.
  public var head: ResponseHead
  /// The whole body; empty for 304 and HEAD.
  public var body: FetchedBody
  /// HTTP requests sent, redirects and retries included.
  public var requestCount: Int
  /// Bytes of bodies received over the network, failed attempts included. 0 for a file.
  public var receivedByteCount: Int
  /// The time when the request that received this response was sent; `nil` if the fetcher does not
  /// know. A pipeline then takes the time of its clock before the fetch.
  public var requestTime: Date?
  /// The time when the head of the response had arrived; `nil` if the fetcher does not know. A
  /// pipeline then takes the time of its clock after the fetch.
  public var responseTime: Date?
  /// From the call to the end of the body.
  public var elapsed: Duration

  /// The header fields of the redirects that led to it, in order. Default: none.
  public var redirects: [HTTPFields] = []

  /// The fields for their hosts that were sent, in any request of the fetch.
  package var originHeaders = OriginHeaders()

  /// Wraps a response; durations and counts are zero unless given.
  public init(
    head: ResponseHead, body: FetchedBody, requestCount: Int = 0, receivedByteCount: Int = 0,
    requestTime: Date? = nil, responseTime: Date? = nil, elapsed: Duration = .zero
  ) {
    self.head = head
    self.body = body
    self.requestCount = requestCount
    self.receivedByteCount = receivedByteCount
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.elapsed = elapsed
  }
}

extension FetchedResponse: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "url": head.url, "status": head.status, "body": body, "requestCount": requestCount,
      "receivedByteCount": receivedByteCount, "elapsed": elapsed,
    ]
  }
}
