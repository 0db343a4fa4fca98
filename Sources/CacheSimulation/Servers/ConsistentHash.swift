import ImageModel

/// A ring of points, 160 for each server: a key belongs to the server of the first point at or
/// after its hash. A server that is added or removed moves only the keys between its points and
/// those before them.
///
/// Source: Karger et al., "Consistent Hashing and Random Trees", STOC 1997; as many points as
/// ketama (Jones, Last.fm, 2007) and nginx (`ngx_http_upstream_hash_module`) have for a server of
/// weight 1. Their CRC-32 and MD5 of names are replaced by a mix of numbers, for a trace has no
/// names; so the spread is theirs, the assignment is not.
struct ConsistentHash {
  private struct Point {
    let hash: UInt64
    let server: UInt16
  }

  private let points: [Point]

  static let pointCount = 160

  init(servers: some Sequence<Int>) {
    points = servers.flatMap { server in
      (0..<Self.pointCount).map { point in
        // Mixed twice: points of one server and of its neighbours have nothing in common.
        let place = SplitMix64.mixed(UInt64(server) &<< 32 | UInt64(point) &+ 1)
        return Point(hash: SplitMix64.mixed(~place), server: UInt16(truncatingIfNeeded: server))
      }
    }.sorted { ($0.hash, $0.server) < ($1.hash, $1.server) }
  }

  init(serverCount: Int) { self.init(servers: 0..<serverCount) }

  /// O(log *n*) in the number of points.
  func server(for key: UInt32) -> Int {
    // Not the hash that caches by sample place their ghosts by: there a server would have the ghosts
    // of its part of the ring only.
    let hash = SplitMix64.mixed(SplitMix64.mixed(UInt64(key)) ^ 0x9e37_79b9_7f4a_7c15)
    var (low, high) = (0, points.count)
    while low < high {
      let middle = (low + high) / 2
      if points[middle].hash < hash { low = middle + 1 } else { high = middle }
    }
    return Int(points[low == points.count ? 0 : low].server)
  }
}
