public import HTTPTypes

/// Whether an answer may be stored at all: RFC 9111 §3.
package enum HTTPStorability {
  /// Statuses that may be stored without a word on their freshness (RFC 9110 §15.1).
  static let heuristicStatuses: Set<Int> = [
    200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501,
  ]

  /// Final statuses whose storing rules this cache implements (for `must-understand`).
  static let understoodStatuses: Set<Int> = heuristicStatuses.union([
    302, 303, 307, 400, 401, 403, 411, 415, 416, 500, 502, 503, 504,
  ])

  /// Statuses of final responses; a response with any other is passed on, but not stored.
  package static let finalStatuses = 200...599

  /// Statuses about one request, its fields or its client, not the resource: never stored.
  static let requestStatuses: Set<Int> = [
    401, 406, 407, 408, 411, 412, 413, 415, 417, 421, 425, 426, 428, 429, 431, 511,
  ]

  /// Statuses that say nothing about the resource, so that what is stored of it stays: those of
  /// the client's errors, unless the resource is gone.
  static let refusals = Set(400..<500).subtracting([404, 410, 451]).union(requestStatuses)

}

extension CacheProfile {
  /// Whether the origin specifies how long the response is fresh, even if that is zero.
  func hasExplicitLifetime(_ headers: HTTPFields) -> Bool {
    let control = control(of: headers)
    return control.maximumAge != nil || isShared && control.sharedMaximumAge != nil
      || headers[.expires] != nil && !isTargeted(headers)
  }

  /// The directives that count: for a shared cache those of a targeted field (RFC 9213), if any.
  func control(of headers: HTTPFields) -> CacheControl {
    targetedControl(of: headers) ?? CacheControl(headers[values: .cacheControl])
  }

  /// Whether a targeted field rules, so that `Expires` does not count.
  func isTargeted(_ headers: HTTPFields) -> Bool { targetedControl(of: headers) != nil }

  private func targetedControl(of headers: HTTPFields) -> CacheControl? {
    guard isShared else { return nil }
    for name in targetedFields {
      if let control = CacheControl(targeted: headers[values: name]) { return control }
    }
    return nil
  }

  /// Whether a response with these fields to a `GET` may be stored, a part (206) included.
  ///
  /// A shared cache that does not store `Set-Cookie` as any other field (RFC 9111 §7.3) stores a
  /// response with it only if that is `public`.
  public func mayStore(status: Int, _ fields: HTTPFields, for request: HTTPFields) -> Bool {
    guard HTTPStorability.finalStatuses.contains(status), status != 304,
      !HTTPStorability.requestStatuses.contains(status),
      // Preconditions for the origin (RFC 9110 §13.1): the response is for this client.
      request[.ifMatch] == nil, request[.ifUnmodifiedSince] == nil
    else { return false }
    let control = control(of: fields)
    let mayUnderstand = HTTPStorability.understoodStatuses.contains(status)
    if control.mustUnderstand ? !mayUnderstand : control.noStore { return false }
    if CacheControl(request).noStore { return false }
    if isShared {
      if control.isPrivate == .all { return false }
      // The next client would be given the session of the first.
      if !storesSetCookie, fields.contains(.setCookie), !control.isPublic { return false }
      let isForUsers = control.isPublic || control.mustRevalidate || control.sharedMaximumAge != nil
      if request[.authorization] != nil, !isForUsers { return false }
    }
    return control.isPublic || control.isPrivate != nil
      || HTTPStorability.heuristicStatuses.contains(status)
      || hasExplicitLifetime(fields)
  }
}
