import ArgumentParser
import TextEncodings

/// A number of bytes: `500000`, `64MiB`, `2GB`, `10k`.
///
/// Units: `k M G T` and `kB MB GB TB` are powers of 1000, `KiB MiB GiB TiB` of 1024; case does not
/// matter. The most is 8 EiB.
struct ByteQuantity: ExpressibleByArgument, Hashable, Sendable, CustomStringConvertible {
  let count: Int

  init(_ count: Int) { self.count = count }

  init?(argument: String) {
    let text = argument.trimmingWhiteSpace()
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Double(digits), number >= 0, number.isFinite else { return nil }
    let factors = [
      "": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9, "t": 1e12,
      "tb": 1e12, "kib": 1_024, "mib": 1_048_576, "gib": 1_073_741_824, "tib": 1_099_511_627_776,
    ]
    guard
      let factor = factors[String(text.dropFirst(digits.count)).trimmingWhiteSpace().lowercased()]
    else { return nil }
    let bytes = number * factor
    // The largest number is no limit, and no `Double`.
    guard let whole = Int(text) ?? Int(exactly: bytes.rounded(.down)) else { return nil }
    count = whole
  }

  var description: String { Measure.bytes(count) }
}
