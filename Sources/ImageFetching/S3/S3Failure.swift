import HTTPTypes
public import ImageModel

/// The reason of an error as an S3 store reports it; the cause of an `ImageError`.
public struct S3Failure: LocalizedError, Hashable, CustomStringConvertible {
  /// The code, such as `NoSuchKey`, `NoSuchBucket`, `AccessDenied` or `SlowDown`. Source: Amazon S3,
  /// "Error responses".
  public let code: String

  /// The code.
  public var description: String { code }

  /// As ``description``.
  public var errorDescription: String? { description }

  /// Finds the code in the XML of an error. Only the first 64 KiB are read, and only a short word
  /// is a code: the rest of the document may repeat what was signed.
  init?(in body: [UInt8]) {
    let text = body.prefix(64 << 10)
    guard let start = text.firstRange(of: Array("<Error".utf8)),
      let opening = text[start.upperBound...].firstRange(of: Array("<Code>".utf8)),
      let closing = text[opening.upperBound...].firstIndex(of: UInt8(ascii: "<"))
    else { return nil }
    let word = text[opening.upperBound..<closing]
    guard (1...64).contains(word.count), word.allSatisfy({ HTTPText.isAlphanumeric($0, or: ".") })
    else { return nil }
    code = String(decoding: word, as: UTF8.self)
  }

  static func error(
    status: Int, fields: HTTPFields, body: [UInt8], for bucket: S3Bucket, url: String
  ) -> ImageError {
    let failure = S3Failure(in: body)
    let words = words(status: status, code: failure?.code, fields: fields, bucket: bucket)
    let code = failure.map { " \($0.code)" } ?? ""
    return ImageError(
      .httpStatus, "\(url): the store answered \(status)\(code)\(words)", url: url, status: status,
      retryAfter: FetchFailure.retryAfter(in: fields),
      head: ResponseHead(url: url, status: status, fields: fields), cause: failure)
  }

  private static func words(
    status: Int, code: String?, fields: HTTPFields, bucket: S3Bucket
  ) -> String {
    let place = "bucket \"\(bucket.name)\" at \(bucket.endpoint)"
    switch (status, code) {
    case (_, "SignatureDoesNotMatch"):
      return ": the secret key does not belong to the access key of \(place)"
    case (_, "InvalidAccessKeyId"): return ": \(place) does not know the access key"
    case (_, "ExpiredToken"), (_, "InvalidToken"), (_, "TokenRefreshRequired"):
      return ": the session token for \(place) has expired or is not valid"
    case (_, "RequestTimeTooSkewed"), (_, "RequestExpired"):
      return ": the clock of this machine or that of \(bucket.endpoint) is wrong"
    case (_, "AuthorizationHeaderMalformed"):
      return ": \(place) may be in another region than \(bucket.region)"
    case (_, "NoSuchBucket"): return ": there is no \(place)"
    case (403, _): return ": the credentials do not give access to this object of \(place)"
    case (404, "NoSuchKey"): return ": \(place) has no such key"
    case (300..<400, _):
      let region = fields.first { $0.name.canonicalName == "x-amz-bucket-region" }?.value
        .filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      let name = region.map { "; it is in region \($0.prefix(32))" } ?? ""
      return ": \(place) is elsewhere\(name), and redirects are not followed with credentials"
    default: return ""
    }
  }
}
