public import HTTPTypes

/// The head of an origin's response: the status and the header fields of the final response.
public struct ResponseHead: Sendable, Hashable {
  /// The URL that answered, after redirects.
  public var url: String
  /// For example 200.
  public var status: Int
  /// All fields in order of arrival; repeated ones are kept.
  public var fields: HTTPFields

  /// Wraps what is known already.
  public init(url: String, status: Int, fields: HTTPFields = [:]) {
    self.url = url
    self.status = status
    self.fields = fields
  }

  /// Whether the status is 200 through 299.
  public var isSuccess: Bool { (200..<300).contains(status) }
  /// The media type without parameters, in lower case; `nil` when the origin named none.
  public var mediaType: String? {
    fields[.contentType].map { value in
      value.prefix { $0 != ";" && $0 != " " }.lowercased()
    }
  }
}
