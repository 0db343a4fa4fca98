import CachePolicies
import Foundation

// Which eviction policy hits most, by size of the cache? Replays a trace through the memory cache
// itself. A line is "time,key,size", as a CacheTraceRecorder or `imgcache serve --record-trace`
// writes it; without a file, 50,000 requests for 5,000 images by Zipf's law are made up.
//
//     HitRateStudy [TRACE.csv]
struct Access {
  let key: String
  let size: Int
}

func read(_ path: String) throws -> [Access] {
  try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
    let fields = line.split(separator: ",")
    guard fields.count >= 3, let size = Int(fields[2]) else { return nil }
    return Access(key: String(fields[1]), size: size)
  }
}

func madeUp() -> [Access] {
  var state: UInt64 = 1
  func random() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) / Double(1 << 53)
  }
  // With an exponent of 1 the logarithm of the rank is uniform.
  return (0..<50_000).map { _ in
    let rank = Int(exp(random() * log(5_000)))
    return Access(key: "image-\(rank)", size: 2_000 + rank * 7_919 % 60_000)
  }
}

let trace: [Access]
do {
  trace = try CommandLine.arguments.dropFirst().first.map(read) ?? madeUp()
} catch {
  print("error: \(error.localizedDescription)")
  exit(1)
}
let total = Dictionary(trace.map { ($0.key, $0.size) }) { first, _ in first }.values.reduce(0, +)
print("\(trace.count) requests, \(total) bytes of distinct images; hits in percent")
print("policy      0.1%    1%   10%")
for policy in EvictionPolicy.all {
  let ratios = [0.001, 0.01, 0.1].map { share -> Double in
    var configuration = MemoryCacheConfiguration()
    configuration.maximumByteCount = Int(share * Double(total))
    configuration.policy = policy
    let cache = MemoryCache<Bool>(configuration)
    for access in trace where cache.value(for: MemoryKey(access.key)) == nil {
      cache.insert(true, for: MemoryKey(access.key), byteCount: access.size)
    }
    return Double(cache.statistics.hitCount) / Double(max(1, trace.count))
  }
  let name = policy.description.padding(toLength: 10, withPad: " ", startingAt: 0)
  print(name, ratios.map { String(format: "%5.1f", 100 * $0) }.joined(separator: " "))
}
