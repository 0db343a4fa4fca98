import HTTPTypes

@testable import HTTPCaching

extension HTTPStorability {
  /// Whether the answer to a `GET` may be stored by a cache that keeps no parts.
  public static func mayStore(
    status: Int, headers: HTTPFields, request: HTTPFields = [:], isShared: Bool = false,
    storesSetCookie: Bool = false
  ) -> Bool {
    status != 206
      && mayStorePart(
        status: status, headers: headers, request: request, isShared: isShared,
        storesSetCookie: storesSetCookie)
  }
}
