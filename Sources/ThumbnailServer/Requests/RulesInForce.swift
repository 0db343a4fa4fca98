import HTTPListening
import ImageModel

struct ServingRules: Sendable {
  let hosts: HostAllowList
  let buckets: Set<String>
  let roots: Set<String>
  let thumbnails: ThumbnailRules
  /// `nil` if signatures are not required.
  let signer: URLSigner?
  let pathPrefix: String
  /// `nil` if nothing can be changed over HTTP.
  let admins: [SigningKey]?
  let grace: (whileRevalidating: Int?, onError: Int?)
  /// The encoded placeholder; `nil` for the ThumbHash or main colour in the cache, else grey.
  let placeholder: [UInt8]?
  let tagSeparator: CacheTagSeparator

  var links: ImageLinks { ImageLinks(signer: signer, prefix: pathPrefix) }
}

/// The rules by which requests are answered now. A request is answered by those that were in force
/// when it began.
typealias RulesInForce = Locked<ServingRules>

extension RulesInForce {
  var current: ServingRules { withLock { $0 } }
}

/// The separator of the tags in `Cache-Tag`: networks in front of servers differ.
public enum CacheTagSeparator: String, Sendable, Hashable, CaseIterable {
  /// A space, as for KeyCDN.
  case space
  /// A comma, as for Cloudflare and Google Cloud CDN.
  case comma

  var text: String { self == .space ? " " : "," }
}
