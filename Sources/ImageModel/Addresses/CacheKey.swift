/// The kind and name of a cache entry: an original, a thumbnail made from one, or a feed's
/// document.
///
/// Two keys are equal when the bytes of their parts are; no part is ever glued to another as a suffix.
public enum CacheKey: Sendable, Hashable {
  /// The bytes of the response for a URL; the URL is spelled as in its source.
  ///
  /// Where the response depends on request fields (`Vary`, RFC 9111 §4.1), `vary` identifies the
  /// variation: the fields and values that selected it, as `VaryKey` describes them. A mark of the
  /// credentials that the entry is for follows. Empty where nothing varies.
  case original(url: String, vary: String = "")
  /// An image derived from an original: the SHA-256 of the original's bytes in lower-case hex, or
  /// the original's URL where its bytes are not kept; and the identity of the processing and
  /// encoding.
  case variant(source: String, recipe: String)
  /// A feed's answer (a day's JSON, a story page), kept for use without a network.
  case document(url: String)

  /// The original that a URL of a feed or of a request names: its fragment is not part of the key, as
  /// it is not part of what is requested.
  public static func image(at url: String) -> CacheKey {
    .original(url: WebURL.withoutFragment(url))
  }

  /// Compares bytes, see ``ExactString``.
  public static func == (one: CacheKey, other: CacheKey) -> Bool { one.exact == other.exact }

  /// Hashes bytes, see ``ExactString``.
  public func hash(into hasher: inout Hasher) { hasher.combine(exact) }

  private struct Exact: Hashable {
    let kind: UInt8
    let name: ExactString
    let detail: ExactString
  }

  private var exact: Exact {
    switch self {
    case .original(let url, let vary):
      Exact(kind: 0, name: ExactString(url), detail: ExactString(vary))
    case .variant(let source, let recipe):
      Exact(kind: 1, name: ExactString(source), detail: ExactString(recipe))
    case .document(let url): Exact(kind: 2, name: ExactString(url), detail: ExactString(""))
    }
  }
}
