import HTTPListening
import HTTPTypes

/// Keeps other sites' pages from changing anything here by the hands of their visitors.
enum SameOrigin {
  /// - Throws: ``Problem`` 403 for a request that a page of another origin made: `Origin` names it, or the browser says
  ///   `Sec-Fetch-Site: cross-site`.
  static func check(_ request: HTTPRequest) throws(Problem) {
    let fields = request.headerFields
    let refusal = Problem(.forbidden, "other_origin", "Pages of other origins may not do this.")
    if let site = fields[.secFetchSite], site == "cross-site" || site == "same-site" {
      throw refusal
    }
    guard let origin = fields[.origin] else { return }
    guard let host = request.authority?.lowercased(),
      ["http://\(host)", "https://\(host)"].contains(origin.lowercased())
    else { throw refusal }
  }
}

extension HTTPField.Name {
  static let secFetchSite = Self("Sec-Fetch-Site") ?? .via
}
