import ArgumentParser
import CacheSimulation
import TextEncodings

/// The format of results without `--json`.
enum SimulationFormat: String, CaseIterable, ExpressibleByArgument {
  /// Columns, below the facts of each trace.
  case table
  /// One row a combination, below a line of names.
  case csv
  /// The lines that libCacheSim's `cachesim` prints.
  case libcachesim
}

/// A result in the formats.
struct SimulationRow {
  let result: SimulationResult

  /// Scripts rely on exactly these columns; what is added is in the JSON and the table.
  static let csvHeader =
    "trace,policy,capacity,requests,hits,hit_ratio,byte_hit_ratio,warm_hit_ratio,evictions,"
    + "ns_per_request"

  var csv: String {
    let counts = result.counts
    let fields: [String] = [
      Self.quoted(result.trace.name), result.policyName, result.capacity.description,
      "\(result.requestCount)", "\(counts.hits)", Self.fixed(result.hitRatio, 6),
      Self.fixed(result.byteHitRatio, 6), result.warmHitRatio.map { Self.fixed($0, 6) } ?? "",
      counts.evictions.map(String.init) ?? "", Self.fixed(result.nanosecondsPerRequest, 1),
    ]
    return (fields + (FleetRow(result)?.csv ?? [])).joined(separator: ",")
  }

  var libCacheSim: String {
    let unit = result.capacity.countsObjects ? "obj" : "B"
    return """
      \(result.trace.name) \(result.policyName) cache size \(result.capacityValue)\(unit), \
      \(result.requestCount) req, miss ratio \(Self.fixed(1 - result.hitRatio, 4)), \
      byte miss ratio \(Self.fixed(1 - result.byteHitRatio, 4))
      """
  }

  var json: JSONLine {
    let counts = result.counts
    let facts = result.trace.facts
    let name = result.capacity.countsObjects ? "capacity_objects" : "capacity_bytes"
    let members: [(String, (any JSONValue)?)] = [
      ("trace", result.trace.name), ("policy", result.policyName),
      ("capacity", result.capacity.description), ("requests", result.requestCount),
      ("hits", counts.hits), ("hit_ratio", result.hitRatio),
      ("byte_hit_ratio", result.byteHitRatio),
      ("warm_hit_ratio", result.warmHitRatio ?? JSONNull() as any JSONValue),
      ("evictions", counts.evictions ?? JSONNull() as any JSONValue),
      ("ns_per_request", result.nanosecondsPerRequest),
      (name, result.capacityValue), ("misses", result.requestCount - counts.hits),
      ("hit_bytes", counts.hitByteCount), ("warm_hits", counts.warmHits),
      ("gap_closed", result.gapClosed),
      // Absent for a whole trace, null for a sample whose error is unknown.
      (
        "standard_error",
        result.isSampled ? result.standardError ?? JSONNull() as any JSONValue : nil
      ),
      ("sample_rate", result.isSampled ? result.trace.sampleRate : nil),
      ("full_requests", result.isSampled ? result.trace.fullRequestCount : nil),
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
    return JSONLine(members: members + (FleetRow(result)?.members ?? []))
  }

  /// Returns a number with so many digits after the point.
  static func fixed(_ value: Double, _ digits: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "\(value)" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = (abs(value) * scale).rounded()
    let text = String(Int(scaled))
    let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
    let sign = value < 0 && scaled > 0 ? "-" : ""
    return digits == 0
      ? sign + padded : sign + padded.dropLast(digits) + "." + padded.suffix(digits)
  }

  private static func quoted(_ text: String) -> String {
    text.utf8.contains(where: ",\"\r\n".utf8.contains)
      ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
  }
}
