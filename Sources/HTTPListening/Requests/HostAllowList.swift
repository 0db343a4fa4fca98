public import ImageModel

/// A list of allowed hosts: those that images may be fetched from, or the names of a server.
public struct HostAllowList: Sendable, Hashable {
  /// Names, `*.` and a name for all names below it, and `*` for every host.
  private var entries: Set<String> = []

  /// Allows no host.
  public init() {}

  /// Reads entries: `example.org`, an address, `*.example.org` for all names below it (not itself),
  /// or `*` for every public host.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for an entry that cannot be the host of a
  ///   URL.
  public init(_ hosts: [String]) throws(ImageError) {
    for host in hosts {
      if host == "*" {
        entries.insert(host)
        continue
      }
      let isBelow = host.hasPrefix("*.")
      let name = isBelow ? String(host.dropFirst(2)) : host
      guard !name.contains("*"), name.hasPrefix("[") ? !isBelow : !name.contains(":"),
        let url = WebURL("http://\(name)/"), url.credentials == nil,
        url.explicitPort == nil, url.target == "/", !name.contains("/"),
        Self.hasNoEmptyLabel(url.host.withoutFinalDot)
      else {
        throw ImageError(
          .invalidArgument,
          "'\(host)' is not a host; allowed are example.org, *.example.org, addresses and *")
      }
      entries.insert((isBelow ? "*." : "") + url.host.withoutFinalDot)
    }
  }

  /// Whether no host is allowed.
  public var isEmpty: Bool { entries.isEmpty }
  package var isEverything: Bool { entries.contains("*") }

  /// Whether a host is allowed.
  public func allows(host: String) -> Bool {
    let name = host.withoutFinalDot
    // `.example.org` would match every suffix.
    guard Self.hasNoEmptyLabel(name) else { return false }
    if isEverything || entries.contains(name) { return true }
    var rest = name[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if entries.contains("*." + rest) { return true }
    }
    return false
  }

  /// Whether an entry names a host in full.
  func lists(host: String) -> Bool { entries.contains(host.withoutFinalDot) }

  /// Whether a URL's host is allowed.
  public func allows(_ url: String) -> Bool { WebURL(url).map { allows(host: $0.host) } ?? false }

  /// Whether a redirect may lead from one URL to another: to an allowed host, or to the same one.
  /// For `HTTPFetcher.Configuration.mayRedirect`.
  public func mayRedirect(from source: String, to target: String) -> Bool {
    guard let source = WebURL(source), let target = WebURL(target) else { return false }
    return allows(host: target.host) || source.host.withoutFinalDot == target.host.withoutFinalDot
  }

  private static func hasNoEmptyLabel(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && !name.hasSuffix(".") && !name.contains("..")
  }
}
