import ArgumentParser
import CacheSimulation
import TextEncodings

enum SimulationFormat: String, CaseIterable, ExpressibleByArgument {
  case table
  case csv
  /// The lines that libCacheSim's `cachesim` prints.
  case libcachesim
}

struct SimulationRow {
  let result: SimulationResult

  /// The columns of CSV and the first members of JSON. Scripts rely on exactly these; what is added
  /// is in the JSON and the table.
  private static let names = [
    "trace", "policy", "capacity", "requests", "hits", "hit_ratio", "byte_hit_ratio",
    "warm_hit_ratio", "evictions", "ns_per_request",
  ]
  private static let fleetNames = [
    "servers", "hashing", "tier", "tier_policy", "tier_requests", "tier_hits", "tier_hit_ratio",
    "tier_byte_hit_ratio", "tier_evictions", "overall_hit_ratio", "overall_byte_hit_ratio",
    "origin_requests", "origin_bytes", "origin_share", "origin_byte_share", "busiest_share",
  ]
  static let csvHeader = names.joined(separator: ",")
  static let fleetCSVHeader = (names + fleetNames).joined(separator: ",")

  private var values: [(any JSONValue)?] {
    [
      result.trace.name, result.policyName, result.capacity.description, result.requestCount,
      result.counts.hits, result.hitRatio, result.byteHitRatio, result.warmHitRatio,
      result.counts.evictions, result.nanosecondsPerRequest,
    ]
  }

  private var fleetValues: [(any JSONValue)?] {
    guard let fleet = result.fleet, let counts = result.fleetCounts else { return [] }
    let tier = fleet.tier
    return [
      fleet.serverCount, fleet.choice.rawValue, tier?.capacity.description, tier?.policyName,
      tier.map { _ in counts.missCount }, tier.map { _ in counts.tierHits }, result.tierHitRatio,
      result.tierByteHitRatio, tier.map { _ in counts.tierEvictions }, result.overallHitRatio,
      result.overallByteHitRatio, counts.originRequestCount, counts.originByteCount,
      result.originShare, result.originByteShare, result.busiestShare,
    ]
  }

  /// A value that there is not is empty.
  var csv: String {
    zip(Self.names + Self.fleetNames, values + fleetValues).map { name, value in
      switch value {
      case let number as Double: Self.fixed(number, name == "ns_per_request" ? 1 : 6)
      case let text as String: Self.quoted(text)
      case let value?: value.jsonText
      case nil: ""
      }
    }.joined(separator: ",")
  }

  var libCacheSim: String {
    let unit = result.capacity.countsObjects ? "obj" : "B"
    return """
      \(result.trace.name) \(result.policyName) cache size \(result.capacityValue)\(unit), \
      \(result.requestCount) req, miss ratio \(Self.fixed(1 - result.hitRatio, 4)), \
      byte miss ratio \(Self.fixed(1 - result.byteHitRatio, 4))
      """
  }

  /// A value that there is not is null.
  var json: JSONLine {
    func orNull(_ value: (any JSONValue)?) -> any JSONValue { value ?? JSONNull() }
    let (trace, facts) = (result.trace, result.trace.facts)
    let unit = result.capacity.countsObjects ? "objects" : "bytes"
    var members: [(String, (any JSONValue)?)] = zip(Self.names, values.map(orNull)).map { $0 }
    members += [
      ("capacity_\(unit)", result.capacityValue),
      ("misses", result.requestCount - result.counts.hits),
      ("hit_bytes", result.counts.hitByteCount), ("warm_hits", result.counts.warmHits),
      ("gap_closed", result.gapClosed),
      // Absent for a whole trace, null for a sample whose error is unknown.
      ("standard_error", result.isSampled ? orNull(result.standardError) : nil),
      ("sample_rate", result.isSampled ? trace.sampleRate : nil),
      ("full_requests", result.isSampled ? trace.fullRequestCount : nil),
      (
        "facts",
        [
          "requests": facts.requestCount, "objects": facts.objectCount,
          "requested_bytes": facts.requestedByteCount, "footprint_bytes": facts.footprint,
          "compulsory_miss_ratio": facts.compulsoryMissRatio,
          "one_hit_share": facts.oneHitShare,
          "size_percentiles": JSONLine(
            members: facts.sizePercentiles.map { ("\($0.percent)", $0.byteCount) }),
        ] as JSONLine
      ),
    ]
    if let fleet = result.fleet, let counts = result.fleetCounts {
      let unit = fleet.tier?.capacity.countsObjects == true ? "objects" : "bytes"
      members += zip(Self.fleetNames, fleetValues.map(orNull)).map { $0 }
      members += [
        ("tier_capacity_\(unit)", fleet.tier.map { $0.capacity.value(for: facts) }),
        ("tier_request_bytes", orNull(fleet.tier.map { _ in counts.missByteCount })),
        ("tier_hit_bytes", orNull(fleet.tier.map { _ in counts.tierHitByteCount })),
        ("server_requests", counts.requestsByServer),
      ]
    }
    return JSONLine(members: members)
  }

  static func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "\(value)" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = (abs(value) * scale).rounded()
    let padded = Int(scaled).padded(to: digits + 1)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    return digits == 0
      ? sign + padded : sign + padded.dropLast(digits) + "." + padded.suffix(digits)
  }

  private static func quoted(_ text: String) -> String {
    text.utf8.contains(where: ",\"\r\n".utf8.contains)
      ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
  }
}
