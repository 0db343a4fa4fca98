import HTTPTypes

/// What is known of a response before it is stored: its check and its record.
extension ImageLoader {
  /// A body that is not what it should be is refused here, before anything is stored.
  static func inspect(
    _ response: FetchedResponse, _ check: ImageCheck, _ limits: ImageLimits
  ) throws -> CheckedImage? {
    guard response.body.byteCount > 0 else {
      throw ImageError(.emptyBody, "the origin answered \(response.head.status) without a body")
    }
    return try response.body.withBytes { bytes in
      check == .none
        ? try? ImageCodecs.check(bytes, level: .none, limits: limits)
        : try ImageCodecs.check(bytes, level: check, limits: limits)
    }
  }

  /// Returns the record under which a response is stored.
  static func record(
    of response: FetchedResponse, _ checked: CheckedImage?, for order: LoadOrder,
    _ key: CacheKey,
    selecting selection: HTTPFields = [:], isShared: Bool = false
  ) -> CacheRecord {
    var record = CacheRecord(key: key, at: response.responseTime)
    record.status = response.head.status
    record.headers = HeaderText(withoutCookieValues: response.head.fields + selection)
    record.requestTime = response.requestTime
    record.format = checked?.info.format
    record.size = checked?.info.size
    record.frameCount = checked?.info.frameCount ?? 1
    record.thumbHash = checked?.placeholder?.thumbHash.bytes ?? []
    record.dominantColor = checked?.placeholder?.dominantColor.rgb
    record.groups = order.request.groups
    // The pipeline sends no client's cookies and hands none out: an image that came with one is for
    // all.
    record.isAlwaysStale = !HTTPStorability.mayStore(
      status: response.head.status, headers: response.head.fields, isShared: isShared,
      storesSetCookie: true)
    return record
  }
}
