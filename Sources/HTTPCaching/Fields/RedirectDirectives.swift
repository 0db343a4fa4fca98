import HTTPTypes
import ImageModel

extension HTTPFields {
  /// Returns the fields of a response as the redirects that led to it restrict them.
  ///
  /// A cache that keeps the response under the URL of the first redirect uses the redirects with it,
  /// so their `Cache-Control` and `Expires` apply to it (RFC 9111 §4): what forbids is added, and it
  /// is fresh for as long as all of them are. A redirect without an explicit lifetime limits none.
  ///
  /// The restrictions are a line in front of the response's own `Cache-Control`, as the first of two
  /// numbers counts. `CDN-Cache-Control`, which would override it, is replaced by it.
  func restricted(
    by redirects: [HTTPFields], status: Int, requestTime: Date, responseTime: Date
  ) -> HTTPFields {
    if redirects.isEmpty { return self }
    func freshness(of fields: HTTPFields, _ status: Int, _ isShared: Bool) -> HTTPFreshness {
      HTTPFreshness(
        status: status, headers: fields, requestTime: requestTime, responseTime: responseTime,
        profile: CacheProfile(isShared: isShared))
    }
    /// The lifetime in seconds; `nil` where no redirect shortens it.
    func lifetime(isShared: Bool) -> Int? {
      let own = freshness(of: self, status, isShared)
      let rest = redirects.filter { CacheProfile(isShared: isShared).hasExplicitLifetime($0) }
        .map { freshness(of: $0, 302, isShared).remaining(at: responseTime) }.min()
      guard let rest, rest < own.remaining(at: responseTime) else { return nil }
      return Int(Swift.max(0, rest + own.age(at: responseTime)))
    }
    let own = CacheControl(self)
    let isTargeted = CacheProfile(isShared: true).isTargeted(self)
    var controls = redirects.map { CacheControl($0) }
    var directives: [String] = []
    if let seconds = lifetime(isShared: false) {
      directives.append("max-age=\(seconds)")
      if let window = own.staleWhileRevalidate {
        let shortest = controls.reduce(window) { Swift.min($0, $1.staleWhileRevalidate ?? 0) }
        directives.append("stale-while-revalidate=\(shortest)")
      }
    }
    let shared = freshness(of: self, status, true)
    if let seconds = lifetime(isShared: true) ?? (isTargeted ? Int(shared.lifetime) : nil),
      isTargeted || ([own] + controls).contains(where: { $0.sharedMaximumAge != nil })
    {
      directives.append("s-maxage=\(seconds)")
    }
    if isTargeted { controls.append(shared.control) }
    let restrictions: [(String, (CacheControl) -> Bool)] = [
      ("no-store", { $0.noStore && !$0.mustUnderstand }), ("no-cache", { $0.noCache != nil }),
      ("private", { $0.isPrivate != nil }), ("must-revalidate", { $0.mustRevalidate }),
      ("proxy-revalidate", { $0.proxyRevalidate }),
    ]
    directives += restrictions.filter { controls.contains(where: $0.1) }.map(\.0)
    if directives.isEmpty { return self }
    var fields = self
    if isTargeted { for name in CacheProfile.cdnFields { fields[name] = nil } }
    fields[values: .cacheControl] =
      [directives.joined(separator: ", ")] + self[values: .cacheControl]
    return fields
  }
}
