import HTTPTypes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the rules of HTTP know of an answer in a cache: everything but its bytes.
package struct StoredAnswer: Sendable, Hashable {
  /// The most variants of one URL that a cache keeps; one more drops the least recently used.
  ///
  /// Each look-up compares all of them with the request, and the origin decides by `Vary` how many
  /// a client can make.
  package static let maximumVariantCount = 64

  /// 206 for a part of a whole.
  package var status: Int
  /// Without the fields of the connection.
  package var fields: HTTPFields
  /// When the request went out that brought it, or that last confirmed it.
  package var requestTime: Date
  /// When its head arrived.
  package var responseTime: Date
  /// What its request had in the fields that `Vary` names: the text of a ``VaryKey``.
  package var selection: String
  /// Bytes at hand.
  package var byteCount: Int

  package init(
    status: Int, fields: HTTPFields, requestTime: Date, responseTime: Date, selection: String = "",
    byteCount: Int = 0
  ) {
    self.status = status
    self.fields = fields
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.selection = selection
    self.byteCount = byteCount
  }

  /// How long it may be used.
  package func freshness(isShared: Bool) -> HTTPFreshness {
    HTTPFreshness(
      status: status, headers: fields, requestTime: requestTime, responseTime: responseTime,
      isShared: isShared)
  }

  /// Whether it is for requests with these fields (RFC 9111 §4.1).
  package func isSelected(by request: HTTPFields) -> Bool {
    VaryKey(answer: fields, request: request)?.description == selection
  }

  /// The part of a whole that it is; `nil` for a whole.
  var part: HTTPContentRange? {
    status == 206 ? fields[.contentRange].flatMap { HTTPContentRange($0) } : nil
  }

  /// Bytes that its `Content-Range` promises; `nil` for a whole.
  package var partByteCount: Int? { part?.bytes.count }

  /// When it was made, as far as it says so: the newest of several goes first (RFC 9111 §4.1).
  var date: Date {
    fields[values: .date].first.flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
  }
}
