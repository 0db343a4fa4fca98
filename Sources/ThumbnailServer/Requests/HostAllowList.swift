import ImagePipeline

/// The hosts that may be asked for images.
public struct HostAllowList: Sendable, Hashable {
  /// One entry.
  private enum Entry: Sendable, Hashable {
    case exact(String)
    /// All names below another one.
    case below(String)
    case everything
  }
  private var entries: Set<Entry> = []

  /// Allows nobody.
  public init() {}

  /// Reads entries: `example.org`, an address, `*.example.org` for all names below it (not itself),
  /// or `*` for every public host.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for what is no host, or can be that of no
  ///   URL.
  public init(_ hosts: [String]) throws(ImageError) {
    for host in hosts {
      if host == "*" {
        entries.insert(.everything)
        continue
      }
      let isBelow = host.hasPrefix("*.")
      let name = isBelow ? String(host.dropFirst(2)) : host
      guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
        throw ImageError(
          .invalidArgument,
          "'\(host)' is not as the wire has it: write the name in punycode, xn--…")
      }
      guard !name.contains("*"), name.hasPrefix("[") ? !isBelow : !name.contains(":"),
        let url = WebURL("http://\(name)/"), url.credentials == nil,
        url.explicitPort == nil, url.target == "/", !name.contains("/"),
        Self.hasNoEmptyLabel(Self.plain(url.host))
      else {
        throw ImageError(
          .invalidArgument, "'\(host)' is no host: example.org, *.example.org and addresses are")
      }
      entries.insert(isBelow ? .below(Self.plain(url.host)) : .exact(Self.plain(url.host)))
    }
  }

  /// Whether no host is allowed.
  public var isEmpty: Bool { entries.isEmpty }
  /// Whether every host is allowed.
  var isEverything: Bool { entries.contains(.everything) }

  /// Whether a host may be asked.
  func allows(host: String) -> Bool {
    let name = Self.plain(host)
    // `.example.org` would be below everything.
    guard Self.hasNoEmptyLabel(name) else { return false }
    if entries.contains(.everything) || entries.contains(.exact(name)) { return true }
    var rest = name[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if entries.contains(.below(String(rest))) { return true }
    }
    return false
  }

  /// Whether a URL's host may be asked.
  public func allows(_ url: String) -> Bool { WebURL(url).map { allows(host: $0.host) } ?? false }

  /// Whether a redirect may lead from one URL to another: to an allowed host, or to the same one.
  /// For ``ImagePipeline/HTTPFetcher/Configuration/mayRedirect``.
  public func mayRedirect(from source: String, to target: String) -> Bool {
    guard let source = WebURL(source), let target = WebURL(target) else { return false }
    return allows(host: target.host) || Self.plain(source.host) == Self.plain(target.host)
  }

  /// Whether every label of a name without its last dot has a character; else it is no name.
  private static func hasNoEmptyLabel(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && !name.hasSuffix(".") && !name.contains("..")
  }

  /// A dot at the end means the same host.
  private static func plain(_ host: String) -> String {
    host.hasSuffix(".") ? String(host.dropLast()) : host
  }
}
