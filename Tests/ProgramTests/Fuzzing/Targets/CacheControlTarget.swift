import HTTPTypes

@testable import HTTPCaching

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Of repeated `Cache-Control` numbers the first counts, restrictions count whatever
/// surrounds them, and a lifetime is a number of seconds from 0.
enum CacheControlTarget {
  static func check(_ bytes: [UInt8]) throws(FuzzFailure) {
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let control = CacheControl(lines)
    for seconds in [
      control.maximumAge, control.sharedMaximumAge, control.staleWhileRevalidate,
      control.staleIfError, control.maximumStaleness, control.minimumFreshness,
    ] {
      try require(seconds ?? 0 >= 0, "\(text.debugDescription) has \(seconds ?? 0) seconds")
    }
    let restricted = CacheControl(lines + ["no-store, no-cache"])
    try require(restricted.noStore && restricted.noCache == .all, text.debugDescription)
    let aged = CacheControl(["max-age=5"] + lines)
    try require(aged.maximumAge == 5 || aged.maximumAge == 0, text.debugDescription)
    try require(control.noStore == CacheControl(lines + ["public"]).noStore, text.debugDescription)

    var fields = HTTPFields()
    for line in lines.prefix(20) { fields.append(HTTPField(name: .cacheControl, value: line)) }
    for (name, value) in zip([HTTPField.Name.date, .expires, .age, .lastModified], lines) {
      fields.append(HTTPField(name: name, value: value))
    }
    let time = Date(timeIntervalSince1970: 1_700_000_000)
    for isShared in [false, true] {
      let freshness = HTTPFreshness(
        status: 200, headers: fields, requestTime: time, responseTime: time,
        profile: CacheProfile(isShared: isShared))
      try require(
        freshness.lifetime >= 0 && freshness.lifetime.isFinite && freshness.initialAge >= 0
          && freshness.initialAge.isFinite, "\(text.debugDescription) lives \(freshness.lifetime) s"
      )
    }
  }
}
