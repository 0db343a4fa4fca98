public import HTTPListening
public import ImageModel

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Signs and verifies requests for images by HMAC-SHA256 (RFC 2104), so that clients cannot choose
/// sizes and URLs freely.
///
/// The signed text is the path, `?`, and the decoded query without `sig`, sorted by key and then
/// value, each pair encoded by RFC 3986 and joined by `&`. `kid` names the key and `exp` ends the
/// signature; both are signed.
public struct URLSigner: Sendable {
  private let keys: [SigningKey]

  /// Creates a signer: the first key signs, all verify.
  public init(keys: [SigningKey]) { self.keys = keys }

  static func text(_ query: QueryPairs) -> String {
    let pairs = query.pairs.filter { $0.key != "sig" }.sorted {
      Array($0.key.utf8) == Array($1.key.utf8)
        ? $0.value.utf8.lexicographicallyPrecedes($1.value.utf8)
        : $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
    }
    return QueryPairs.target(query.path, pairs)
  }

  /// Signs a target, `/thumb?url=…&w=200`, or a complete URL of one.
  ///
  /// - Parameters:
  ///   - url: The target or URL, without `sig`.
  ///   - keyName: The name of the signing key. Default: the first key.
  ///   - expires: When the signature ends. Default: never.
  /// - Returns: The target with `kid`, `exp` and `sig`.
  /// - Throws: `ImageError` with code `invalidArgument` for a malformed or signed query, or an
  ///   unknown key, or an `exp` in the URL that is not a number of seconds.
  public func sign(
    _ url: String, keyName: String? = nil, expires: Date? = nil
  ) throws(ImageError) -> String {
    let start = Self.startOfTarget(url)
    guard start > url.startIndex || url.hasPrefix("/") else {
      throw ImageError(
        .invalidArgument, "\(url.debugDescription) is neither a path such as /thumb?… nor a URL")
    }
    guard let key = keyName == nil ? keys.first : keys.first(where: { $0.name == keyName }) else {
      throw ImageError(.invalidArgument, "no key is named \((keyName ?? "").debugDescription)")
    }
    let query: QueryPairs
    do throws(Problem) {
      query = try QueryPairs(target: String(url[start...].prefix { $0 != "#" }))
    } catch {
      throw ImageError(.invalidArgument, error.detail)
    }
    guard query["sig"] == nil else {
      throw ImageError(.invalidArgument, "the URL is signed already")
    }
    if expires == nil, let end = query["exp"], Self.seconds(end) == nil {
      throw ImageError(
        .invalidArgument, "exp is a time in Unix seconds, not \(end.debugDescription)")
    }
    var pairs = query.pairs.filter { $0.key != "kid" && ($0.key != "exp" || expires == nil) }
    if let name = key.name { pairs.append(.init(key: "kid", value: name)) }
    if let expires {
      let seconds = Int(min(max(0, expires.timeIntervalSince1970), 1e15))
      pairs.append(.init(key: "exp", value: String(seconds)))
    }
    let target = QueryPairs.target(query.path, pairs)
    guard let signed = try? QueryPairs(target: target) else {
      throw ImageError(.invalidArgument, "the URL cannot be signed")
    }
    return "\(url[..<start])\(target)&sig=\(Self.code(signed, key))"
  }

  enum Verdict: Sendable, Hashable {
    /// Valid until then; `nil` for ever.
    case good(until: Int?)
    case refused
  }

  /// Verifies a request; `now` is in Unix seconds.
  func judge(_ query: QueryPairs, now: Int) -> Verdict {
    guard let signature = query["sig"] else { return .refused }
    var end: Int?
    if let text = query["exp"] {
      guard let seconds = Self.seconds(text), now < seconds else { return .refused }
      end = seconds
    }
    let name = query["kid"]
    let candidates = name == nil ? keys : keys.filter { $0.name == name }
    // All keys are compared, each completely, so that the time reveals nothing.
    let isGood = candidates.reduce(false) { found, key in
      Self.isEqual(Self.code(query, key), signature) || found
    }
    return isGood ? .good(until: end) : .refused
  }

  /// The value of `exp`, as it is written by ``sign(_:keyName:expires:)``: decimal digits.
  private static func seconds(_ text: String) -> Int? {
    Int(text).flatMap { String($0) == text ? $0 : nil }
  }

  private static func code(_ query: QueryPairs, _ key: SigningKey) -> String {
    Array(text(query).utf8).withUnsafeBytes { message in
      key.secret.withUnsafeBytes { SHA256.authenticationCode(for: message, key: $0).hex }
    }
  }

  private static func isEqual(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func startOfTarget(_ url: String) -> String.Index {
    guard let web = WebURL(url), url.hasPrefix("http") else { return url.startIndex }
    // After the scheme's slashes.
    let authority = url.index(url.startIndex, offsetBy: web.scheme.count + 3)
    return url[authority...].firstIndex { $0 == "/" || $0 == "?" } ?? url.endIndex
  }
}

extension URLSigner {
  /// A target with `***` for the value of `sig`, however the key is percent-encoded, and for what
  /// follows `sig=` in the query of another parameter's URL, which loses its user and password.
  static func hidden(in target: String) -> String {
    guard let mark = target.firstIndex(of: "?") else { return target }
    let pairs = target[target.index(after: mark)...]
      .split(separator: "&", omittingEmptySubsequences: false)
      .map { pair -> String in
        let key = pair.prefix { $0 != "=" }
        if QueryPairs.decoded(key) == "sig" { return key + "=***" }
        guard let named = QueryPairs.decoded(pair.dropFirst(key.count + 1)) else {
          return String(pair)
        }
        let value = WebURL.withoutUserinfo(named)
        guard let nested = value.firstRange(of: "?sig=") ?? value.firstRange(of: "&sig=") else {
          return value == named ? String(pair) : "\(key)=\(QueryPairs.encoded(value))"
        }
        return "\(key)=\(QueryPairs.encoded(String(value[..<nested.upperBound])))***"
      }
    return target[...mark] + pairs.joined(separator: "&")
  }
}
