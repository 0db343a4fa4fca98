import ArgumentParser

/// A rate of requests: `4`, `4/s`, `30/m`.
struct RateQuantity: ExpressibleByArgument, Hashable, Sendable {
  let perSecond: Double

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let number = Double(parts[0]), number > 0, number <= 1_000_000,
      parts[0].allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") })
    else { return nil }
    switch parts.count == 2 ? parts[1] : "s" {
    case "s": perSecond = number
    case "m": perSecond = number / 60
    default: return nil
    }
  }
}
