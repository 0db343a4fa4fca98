import ImageModel

/// How a load balancer chooses the server of a request.
public enum ServerChoice: String, Sendable, CaseIterable {
  /// Ignores the URL: each request goes to a server chosen at random, by a generator of a fixed
  /// seed, so that results repeat. (`random` of nginx, `balance random` of HAProxy.)
  ///
  /// Taking turns would be no closer to a balancer that takes turns: other requests are between those
  /// of a trace, and a trace that repeats itself would bring a key to the same server each time.
  case none
  /// By the key, on a ring of 160 points a server: `hash $uri consistent` of nginx, which is ketama.
  ///
  /// Servers receive shares of the keys that differ by some 8 % of their mean, and shares of the
  /// requests that differ by more where a few keys are requested often.
  case consistent
}

struct ServerChooser {
  private let serverCount: UInt64
  private let ring: ConsistentHash?
  private var random = SplitMix64(seed: 1)

  init(_ choice: ServerChoice, serverCount: Int) {
    self.serverCount = UInt64(serverCount)
    ring = choice == .consistent && serverCount > 1 ? ConsistentHash(serverCount: serverCount) : nil
  }

  mutating func server(for key: UInt32) -> Int {
    if serverCount == 1 { return 0 }
    if let ring { return ring.server(for: key) }
    // The upper half of the product: no division, and a bias below 1 in 2^54.
    return Int(random.next().multipliedFullWidth(by: serverCount).high)
  }
}
