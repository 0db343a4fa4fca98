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

extension DiskStore {
  /// Replaces the metadata of an original; if its selecting fields have changed, it is kept under
  /// the new ones as well. Equal bytes are one file.
  ///
  /// - Returns: The updated record; `nil` if the entry no longer exists.
  @discardableResult
  package func update(
    _ key: CacheKey, of url: String, as response: StoredResponse
  ) throws(ImageError) -> CacheRecord? {
    guard var record = record(for: key) else { return nil }
    record.adopt(response)
    let renewed = CacheKey.original(url: url, vary: response.selection)
    if renewed != record.key, let bytes = read(record.key)?.bytes {
      record.key = renewed
      return try store(bytes, record)
    }
    try update(record)
    return record
  }
}
