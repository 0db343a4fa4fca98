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
    of response: StoredResponse, _ checked: CheckedImage?, for order: LoadOrder
  ) -> CacheRecord {
    var record = CacheRecord(
      key: .original(url: order.spelled, vary: response.selection), at: response.responseTime)
    record.adopt(response.withoutCookieValues)
    record.format = checked?.info.format
    record.size = checked?.info.size
    record.frameCount = checked?.info.frameCount ?? 1
    record.thumbHash = checked?.placeholder?.thumbHash.bytes ?? []
    record.dominantColor = checked?.placeholder?.dominantColor.rgb
    record.groups = order.request.groups
    return record
  }
}
