import HTTPCaching
import HTTPTypes
import ImageModel

/// A record as a response of the HTTP cache.
extension StoredResponse {
  /// Creates a response from a record.
  package init(_ record: CacheRecord) {
    var fields = record.headers.fields
    if record.isNegative {
      // A negative entry is valid until the record expires, when a store drops it. It never
      // substitutes for another failure.
      fields = [.cacheControl: "max-age=2147483647, must-revalidate"]
    }
    self.init(
      status: record.status, fields: fields, requestTime: record.requestTime,
      responseTime: record.responseTime, selection: record.key.recipe, byteCount: record.byteCount)
    isAlwaysStale = record.isAlwaysStale
    generation = record.generation
    sharedAt = record.sharedAt
    effectiveURL = record.effectiveURL
  }
}

extension CacheRecord {
  /// How long a private or a shared cache may use the entry.
  public func freshness(isShared: Bool = false) -> HTTPFreshness {
    HTTPFreshness(
      status: status, headers: headers.fields, requestTime: requestTime, responseTime: responseTime,
      isShared: isShared)
  }

  /// Takes over the status, fields and times of a response; key, content and image stay.
  package mutating func adopt(_ response: StoredResponse) {
    status = response.status
    headers = HeaderText(response.fields)
    requestTime = response.requestTime
    responseTime = response.responseTime
    isAlwaysStale = response.isAlwaysStale
    generation = response.generation
    sharedAt = response.sharedAt
    effectiveURL = response.effectiveURL
  }
}
