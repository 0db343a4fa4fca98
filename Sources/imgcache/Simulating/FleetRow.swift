import CacheSimulation
import TextEncodings

/// The columns that a result of several servers has behind those of a single cache.
struct FleetRow {
  private let result: SimulationResult
  private let fleet: Fleet
  private let counts: FleetCounts

  /// `nil` for a single cache.
  init?(_ result: SimulationResult) {
    guard let fleet = result.fleet, let counts = result.fleetCounts else { return nil }
    self.result = result
    self.fleet = fleet
    self.counts = counts
  }

  static let csvHeader =
    SimulationRow.csvHeader
    + ",servers,hashing,tier,tier_policy,tier_requests,tier_hits,tier_hit_ratio,"
    + "tier_byte_hit_ratio,tier_evictions,overall_hit_ratio,overall_byte_hit_ratio,"
    + "origin_requests,origin_bytes,origin_share,origin_byte_share,busiest_share"

  /// The fields of the tier are empty where there is none.
  var csv: [String] {
    func ratio(_ value: Double?) -> String { value.map { SimulationRow.fixed($0, 6) } ?? "" }
    func number(_ value: Int) -> String { fleet.tier == nil ? "" : "\(value)" }
    return [
      "\(fleet.serverCount)", fleet.choice.rawValue, fleet.tier?.capacity.description ?? "",
      fleet.tier?.policyName ?? "", number(counts.missCount), number(counts.tierHits),
      ratio(result.tierHitRatio), ratio(result.tierByteHitRatio), number(counts.tierEvictions),
      ratio(result.overallHitRatio), ratio(result.overallByteHitRatio),
      "\(counts.originRequestCount)", "\(counts.originByteCount)", ratio(result.originShare),
      ratio(result.originByteShare), ratio(result.busiestShare),
    ]
  }

  /// Those of the tier are null where there is none.
  var members: [(String, (any JSONValue)?)] {
    func orNull(_ value: (any JSONValue)?) -> any JSONValue { value ?? JSONNull() }
    func number(_ value: Int) -> any JSONValue { orNull(fleet.tier == nil ? nil : value) }
    let unit = fleet.tier?.capacity.countsObjects == true ? "objects" : "bytes"
    return [
      ("servers", fleet.serverCount), ("hashing", fleet.choice.rawValue),
      ("tier", orNull(fleet.tier?.capacity.description)),
      ("tier_policy", orNull(fleet.tier?.policyName)),
      ("tier_requests", number(counts.missCount)), ("tier_hits", number(counts.tierHits)),
      ("tier_hit_ratio", orNull(result.tierHitRatio)),
      ("tier_byte_hit_ratio", orNull(result.tierByteHitRatio)),
      ("tier_evictions", number(counts.tierEvictions)),
      ("overall_hit_ratio", result.overallHitRatio),
      ("overall_byte_hit_ratio", result.overallByteHitRatio),
      ("origin_requests", counts.originRequestCount), ("origin_bytes", counts.originByteCount),
      ("origin_share", result.originShare), ("origin_byte_share", result.originByteShare),
      ("busiest_share", result.busiestShare),
      ("tier_capacity_\(unit)", fleet.tier.map { $0.capacity.value(for: result.trace.facts) }),
      ("tier_request_bytes", number(counts.missByteCount)),
      ("tier_hit_bytes", number(counts.tierHitByteCount)),
      ("server_requests", counts.requestsByServer),
    ]
  }
}
