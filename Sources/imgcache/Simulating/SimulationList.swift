import ArgumentParser
import CacheSimulation

/// Reads the lists of `simulate`: words with commas between, policies and capacities.
enum SimulationList {
  static func words(_ text: String, _ option: String) throws -> [String] {
    let words = text.split(separator: ",").map(String.init)
    try require(!words.isEmpty, "\(option) names none")
    return words
  }

  static func policy(_ name: String) throws -> SimulatedPolicy {
    if let policy = SimulatedPolicy(name) { return policy }
    let hint = NearName.hint(String(name.prefix { $0 != ":" }), among: SimulatedPolicy.names)
    throw ValidationError(
      "Unknown policy \"\(name)\"\(hint.isEmpty ? "." : hint) "
        + "Policies: \(SimulatedPolicy.names.joined(separator: ", "))")
  }

  static func capacity(_ text: String) throws -> SimulatedCapacity {
    if let capacity = SimulatedCapacity(text, bytes: { ByteQuantity(argument: $0)?.count }) {
      return capacity
    }
    throw ValidationError("\"\(text)\" is not a capacity; write 64MiB, 1000obj, 1% or 1%obj")
  }
}
