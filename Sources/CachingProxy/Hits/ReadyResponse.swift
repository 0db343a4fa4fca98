import HTTPCaching
import HTTPListening
import HTTPTypes
import ImageModel
import NIOCore
import NIOHTTP1

/// A fresh stored response that can be sent again without looking it up: its heads are serialized
/// but for its age, and its body is one call of the store away.
///
/// It answers what a look-up would answer with the same bytes, as long as nothing that is stored for
/// the URL changes, the response is fresh, and the request has the same values of all fields that
/// the `Vary` of a response to this URL names.
final class ReadyResponse: Sendable {
  let target: String
  let url: String
  let key: CacheKey
  let revision: UInt64
  let byteCount: Int
  let heads: ReadyHeads
  /// Fields of the request, and the value of each.
  private let selectors: [(name: String, value: String?)]
  private let freshness: HTTPFreshness
  /// The time until which it is sent without a look-up.
  private let end: Date

  /// Prepares a response that a look-up has found to be fresh, one of all `variants` that are
  /// stored for the URL, to be sent without another one until `end`; `nil` for one that needs a
  /// look-up each time.
  init?(
    _ entry: StreamingEntry, target: String, url: String, revision: UInt64,
    variants: [StreamingEntry], request: HTTPFields, at now: Date, until end: Date = .distantFuture,
    profile: CacheProfile, via: ViaField
  ) {
    let stored = entry.response
    let heads = ReadyHeads(stored) { request in
      entry.presented(to: HTTPCacheRequest(fields: request), at: now, profile: profile, via: via)
    }
    guard stored.status != 204, stored.status != 206, let heads,
      let selectors = Self.selectors(variants, request)
    else { return nil }
    self.heads = heads
    self.selectors = selectors
    freshness = profile.freshness(of: stored)
    self.end = end
    (key, self.target, self.url, self.revision) = (entry.key, target, url, revision)
    byteCount = stored.byteCount
  }

  /// The values that select; `nil` if one is in several lines or beyond ASCII.
  private static func selectors(
    _ variants: [StreamingEntry], _ request: HTTPFields
  ) -> [(name: String, value: String?)]? {
    let names = variants.reduce(into: Set([ForwardedFields.host, ForwardedFields.scheme])) {
      $0.formUnion(VaryKey.names(in: $1.response.fields) ?? [])
    }
    var selectors: [(name: String, value: String?)] = []
    for name in names {
      guard let field = HTTPField.Name(name) else { return nil }
      let lines = request[values: field]
      guard lines.count <= 1, lines.allSatisfy({ $0.utf8.allSatisfy { $0 < 0x80 } }) else {
        return nil
      }
      selectors.append((name, lines.first))
    }
    return selectors
  }

  func isSelected(
    by headers: HTTPHeaders, _ forwarded: ForwardedFields, from client: ConnectionPresence
  ) -> Bool {
    isSelected { name in
      guard ForwardedFields.names.contains(name) else { return headers[name] }
      return [forwarded.value(of: name, headers, from: client)].compactMap(\.self)
    }
  }

  func isSelected(by fields: HTTPFields) -> Bool {
    isSelected { name in HTTPField.Name(name).map { fields[values: $0] } ?? [] }
  }

  private func isSelected(_ lines: (String) -> [String]) -> Bool {
    selectors.allSatisfy { name, value in
      let lines = lines(name)
      return lines.count <= 1 && lines.first == value
    }
  }

  func replaces(_ other: ReadyResponse) -> Bool {
    selectors.count == other.selectors.count
      && selectors.allSatisfy { name, value in
        other.selectors.contains { $0.name == name && $0.value == value }
      }
  }

  /// Whether it may be sent at a moment to a request without directives.
  func isFresh(at now: Date) -> Bool { now < end && freshness.use(at: now) == .fresh }

  func hit(isKnown: Bool, at now: Date) -> Hit {
    Hit(
      heads, isKnown: isKnown, age: freshness.ageValue(at: now),
      lifetime: freshness.remainingValue(at: now), source: .hit)
  }

  var cost: Int {
    let texts = selectors.reduce(2 * target.utf8.count + url.utf8.count) {
      $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 64
    }
    return texts + heads.byteCount + 512
  }
}

extension StreamingEntry {
  /// It, as it is sent to one request, with the fields of this proxy, and the end of its
  /// `Cache-Status`.
  ///
  /// - Parameters:
  ///   - status: How it came about; its lifetime is added.
  ///   - cookies: Those for this client alone.
  func presented(
    to request: HTTPCacheRequest, at now: Date, _ status: CacheStatus = CacheStatus(.hit),
    profile: CacheProfile, via: ViaField, adding cookies: HTTPFields = [:]
  ) -> (HTTPPresentation, CacheStatus) {
    var presentation = HTTPPresentation(response, for: request, at: now, profile: profile)
    var status = status
    status.lifetime = profile.freshness(of: response).remainingValue(at: now)
    presentation.fields.append(contentsOf: cookies)
    via.add(to: &presentation.fields)
    status.add(to: &presentation.fields)
    return (presentation, status)
  }
}

extension HTTPFreshness {
  fileprivate func ageValue(at now: Date) -> Int { Int(min(age(at: now), Double(1 << 31))) }

  fileprivate func remainingValue(at now: Date) -> Int {
    Int(max(-1e9, min(1e9, remaining(at: now).rounded(.down))))
  }
}
