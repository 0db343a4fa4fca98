import HTTPCaching
import HTTPListening
import HTTPTypes
import ImageModel
import TextEncodings

/// Answers `PURGE`, which is never forwarded: removes what is stored for a target, if the
/// request has an admin key.
struct PurgeResponder: Sendable {
  /// The keys; `nil` if nothing can be removed over HTTP.
  private let keys: Locked<AdminKeys?>

  init(_ keys: [SigningKey]?) { self.keys = Locked(keys.map { AdminKeys($0) }) }

  /// Accepts other keys from now on.
  func replaceKeys(by new: [SigningKey]?) { keys.withLock { $0 = new.map { AdminKeys($0) } } }

  static let method = "PURGE"

  /// The response: `{"removed":N}`, or a refusal.
  func answer(_ request: ProxyRequest, _ services: ProxyServices) async -> (
    status: Int, HTTPFields, String
  ) {
    var fields: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
    guard let keys = keys.withLock({ $0 }) else {
      fields[.allow] = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE"
      return refusal(405, "This proxy has no admin keys.", fields)
    }
    guard keys.admit(request.fields) else {
      return refusal(403, "Admin key required: Authorization: Bearer SECRET.", fields)
    }
    let url = services.url(of: request.target)
    // First of all nothing may come from the tier any more.
    var failure: TierPurgeFailure?
    do throws(TierPurgeFailure) {
      try await services.tier?.purge(TierPurge(urls: [url], time: services.clock()))
    } catch {
      failure = error
    }
    services.flights.outdate(url)
    let body: JSONLine = ["removed": services.store.purge(url)]
    guard let failure else { return (200, fields, "\(body)\n") }
    services.log("PURGE \(url): \(failure)")
    fields[.retryAfter] = "5"
    return refusal(
      503, "Purged on this server; the purge has not reached the shared tier yet.", fields)
  }

  private func refusal(
    _ status: Int, _ text: String, _ fields: HTTPFields
  ) -> (status: Int, HTTPFields, String) {
    var fields = fields
    fields[.contentType] = "text/plain; charset=utf-8"
    return (status, fields, text + "\n")
  }
}
