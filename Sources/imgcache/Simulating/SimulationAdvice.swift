import CachePolicies
import CacheSimulation
import TextEncodings

/// The sentence below a table: what another policy or capacity would save at the origin.
enum SimulationAdvice {
  /// Returns the sentence for the results of one trace; `nil` for a fleet, and without a policy that
  /// a cache can run.
  ///
  /// LRU at the middle capacity, or else the first policy, is compared with the policy that hits most
  /// there, and with itself at the largest capacity. Bounds are not policies to choose.
  static func text(_ results: [SimulationResult]) -> String? {
    let possible = results.filter {
      !$0.policy.needsFuture && $0.policy != .infinite && $0.fleet == nil
    }
    let unit = possible.first?.capacity.countsObjects
    let sorted = possible.filter { $0.capacity.countsObjects == unit }
      .sorted { $0.capacityValue < $1.capacityValue }
    let values = sorted.map(\.capacityValue)
    let capacities = values.indices.filter { $0 == 0 || values[$0] != values[$0 - 1] }
    guard !capacities.isEmpty else { return nil }
    let middle = values[capacities[(capacities.count - 1) / 2]]
    let here = possible.filter { $0.capacityValue == middle && $0.capacity.countsObjects == unit }
    guard let base = here.first(where: { $0.policy == .online(.lru) }) ?? here.first else {
      return nil
    }
    let others = here.filter { $0.policy != base.policy }
    let largest = sorted.last { $0.policy == base.policy && $0.capacityValue > max(0, middle) }
    let place = "At \(capacity(base)), "
    let hits = Measure.grouped(base.counts.hits)
    let all =
      "\(Measure.grouped(base.requestCount)) requests\(base.isSampled ? " of the sample" : "")"

    var sentence: String
    if let best = others.max(by: { $0.counts.hits < $1.counts.hits }) {
      sentence =
        best.counts.hits > base.counts.hits
        ? "\(place)\(best.policyName) would answer \(more(best, base)) of \(all) than "
          + "\(base.policyName)\(bytes(best, base))"
        : "\(place)no other policy here would answer more of \(all) than the \(hits) of "
          + base.policyName
    } else {
      sentence = "\(place)\(base.policyName) answers \(hits) of \(all)"
    }
    if let largest, middle > 0 {
      let factor = Measure.number(Double(largest.capacityValue) / Double(middle))
      sentence +=
        "; \(base.policyName) at \(factor) times the size \(more(largest, base))"
        + bytes(largest, base)
    } else if others.isEmpty {
      sentence += "; name other policies or capacities to compare"
    }
    return sentence + "."
  }

  private static func capacity(_ result: SimulationResult) -> String {
    let text = result.capacity.description
    let number = text.hasSuffix("obj") ? String(text.dropLast(3)) : text
    return switch (result.capacity.amount, result.capacity.countsObjects) {
    case (.share, let counts): "\(number) of the \(counts ? "objects" : "bytes")"
    case (.fixed, true): "\(number) objects"
    case (.fixed, false): text
    }
  }

  private static func more(_ result: SimulationResult, _ base: SimulationResult) -> String {
    let count = result.counts.hits - base.counts.hits
    return "\(Measure.grouped(abs(count))) \(count < 0 ? "fewer" : "more")"
  }

  /// What the origin would send less; nothing for a trace without sizes.
  private static func bytes(_ result: SimulationResult, _ base: SimulationResult) -> String {
    let count = result.counts.hitByteCount - base.counts.hitByteCount
    guard count != 0, base.trace.facts.hasSizes else { return "" }
    return ", \(Measure.bytes(abs(count))) \(count < 0 ? "more" : "less") from the origin"
  }
}
