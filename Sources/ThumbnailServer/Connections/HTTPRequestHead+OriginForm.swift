import NIOHTTP1

extension HTTPRequestHead {
  /// The same request with a path for its target, where it came with a whole URL (RFC 9112 §3.2.2): the URL's host then
  /// goes before that of the field.
  ///
  /// Another target stays as it is, and so does a `Host` that stands twice or is missing: those are refused.
  var inOriginForm: HTTPRequestHead {
    guard !uri.hasPrefix("/"), let afterScheme = Self.afterScheme(uri) else { return self }
    let end = afterScheme.firstIndex { $0 == "/" || $0 == "?" } ?? afterScheme.endIndex
    guard end > afterScheme.startIndex else { return self }
    let path = afterScheme[end...]
    var head = self
    head.uri = path.hasPrefix("/") ? String(path) : "/" + path
    let hostCount = headers["Host"].count
    if hostCount == 1 || hostCount == 0 && version == .http1_0 {
      head.headers.replaceOrAdd(name: "Host", value: String(afterScheme[..<end]))
    }
    return head
  }

  /// What follows the scheme of an http or https URL.
  private static func afterScheme(_ target: String) -> Substring? {
    for scheme in ["http://", "https://"] where target.prefix(scheme.count).lowercased() == scheme {
      return target.dropFirst(scheme.count)
    }
    return nil
  }
}
