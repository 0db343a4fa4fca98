package import ImageModel

/// The requirements of certain hosts beyond plain HTTP, and the spelling of their URLs as keys.
///
///     var rules = HostRules()
///     rules.byHost["*.example.org"] = HostRules.Rule(referer: "https://example.org/")
///     configuration.hostRules = rules
public struct HostRules: Sendable {
  /// The rule for requests to one host.
  public struct Rule: Sendable, Hashable {
    /// The `Referer` sent with every request to the host; `nil` for none.
    public var referer: String?
    /// Whether `http` URLs of the host are fetched by `https`, where their port is the default one.
    public var upgradesToHTTPS: Bool

    /// Creates a rule.
    public init(referer: String? = nil, upgradesToHTTPS: Bool = false) {
      self.referer = referer
      self.upgradesToHTTPS = upgradesToHTTPS
    }
  }

  /// The rules by host: `example.org`, or `*.example.org` for all hosts below it; the most specific
  /// one applies. Default: none.
  public var byHost: [String: Rule] = [:]
  /// Whether a request answered by 403 is sent once more without a `Referer`. Default: yes.
  public var retriesForbiddenWithoutReferer = true
  /// Spells a URL as the key of its cache entries; URLs spelled alike share an entry. It is called
  /// for every request, so it must be fast and deterministic. Default: `nil`, the URL as it is.
  public var cacheURL: (@Sendable (_ url: String) -> String)?

  /// No rules.
  public init() {}

  /// The URL that is requested: with https where the rule of its host requires that.
  package func target(of url: WebURL) -> WebURL {
    byHost.value(forHost: url.host)?.upgradesToHTTPS == true ? url.upgraded : url
  }
}

extension Dictionary where Key == String {
  /// The value of a host: under its own name, else under the longest `*.suffix` that it is below.
  package func value(forHost host: String) -> Value? {
    if isEmpty { return nil }
    if let value = self[host] { return value }
    var rest = host[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      if let value = self["*.\(rest)"] { return value }
    }
    return nil
  }
}
